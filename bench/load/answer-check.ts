import type { Expected } from './plan.ts'
import { idLength, type Shelf } from './shelf.ts'

/** Returns what is wrong with a response to a request of the shelf, or null. Keeps a fresh award's id for its replays. */
type AnswerCheck = (index: number, answer: string) => string | null

const idStart = '{"epTransactionId":"'

export function answerCheck(expected: Expected, shelf: Shelf): AnswerCheck {
  // Compared as a whole: comparing a long text with startsWith costs more than sending it.
  const bodyIs = (answer: string, at: number, body: string) => answer.slice(at) === body

  return (index, answer) => {
    const at = answer.indexOf('\r\n\r\n') + 4
    switch (expected.kind) {
      case 'credited': {
        const id = answer.slice(at + idStart.length, at + idStart.length + idLength)
        if (!answer.startsWith('202', 9)) break
        if (!bodyIs(answer, at, idStart + id + shelf.creditedEnd(index))) break
        if (shelf.idOf(index) !== '') return `order ${index} was credited twice`
        shelf.keepId(index, id)
        return null
      }
      case 'duplicate': {
        const id = shelf.idOf(index)
        if (id === '' || !answer.startsWith('200', 9)) break
        if (!bodyIs(answer, at, idStart + id + shelf.duplicateEnd(index))) break
        return null
      }
      case 'exactly':
        if (!answer.startsWith(String(expected.status), 9)) break
        if (!bodyIs(answer, at, expected.body)) break
        return null
    }
    return answer === '' ? 'the connection was lost' : `not ${expected.kind}: ${shortened(answer)}`
  }
}

function shortened(answer: string): string {
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  return `${answer.slice(9, 12)} ${body.length > 300 ? `${body.slice(0, 300)}…` : body}`
}
