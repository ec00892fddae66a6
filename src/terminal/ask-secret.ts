import { openSync, writeSync } from 'node:fs'
import { ReadStream } from 'node:tty'

/** Prompts on the terminal, even if standard input is redirected, without echo. Null if there is no terminal. */
export function askSecret(question: string): Promise<string | null> {
  let terminal: number
  try {
    terminal = openSync('/dev/tty', 'r+')
  } catch {
    return Promise.resolve(null)
  }
  const input = new ReadStream(terminal)
  input.setRawMode(true)
  writeSync(terminal, question)
  return new Promise((resolve) => {
    let typed = ''
    const end = (answer: string | null) => {
      input.setRawMode(false)
      writeSync(terminal, '\n')
      input.destroy()
      resolve(answer)
    }
    input.setEncoding('utf8').on('data', (text) => {
      for (const character of String(text)) {
        if (character === '\r' || character === '\n') return end(typed)
        if (character === interrupt || character === endOfInput) return end(null)
        typed = character === backspace || character === deletion ? typed.slice(0, -1) : typed + character
      }
    })
  })
}

const interrupt = '\x03'
const endOfInput = '\x04'
const backspace = '\b'
const deletion = '\x7f'
