import { isDeepStrictEqual } from 'node:util'
import type { Answer, Ask, Credit, Model } from './model.ts'

/** An award that was sent, and its outcome; null: unknown, so it may or may not have been credited. */
export type Sent = { ask: Ask; id: string; answer: Answer | null }

/**
 * What an account's history shows to be new: the ids, oldest first, and how many awards there were before. With `caps`,
 * those that each was made under: an answer does not tell them all.
 */
export type Appended = { before: number; ids: string[]; caps?: Caps[] }
type Caps = Credit['caps']

/** Applies a change to the model and returns how to undo it. */
export type Change = (model: Model) => () => void

/**
 * Looks for an order in which the model, one award after the other, gives the outcomes that awards sent at the same
 * time got. An award with an unknown outcome counts as credited if its account's history has it (`appended`, by account). A
 * setting that was changed meanwhile has a place in that order, too. The model is left in the state after that order;
 * false: there is none.
 */
export function explain(
  model: Model,
  sent: Sent[],
  appended: Map<string, Appended>,
  change: Change | null = null,
): boolean {
  const added = new Set([...appended.values()].flatMap(({ ids }) => ids))
  const open = sent.filter(({ answer, id }) => answer !== null || added.has(id))
  /** Sets of remaining awards that cannot be placed: what was credited before them is then the same. */
  const hopeless = new Set<string>()

  /** Outcomes that change nothing can be placed as soon as they are right: that takes nothing from the others. */
  function withoutReadings(left: Sent[]): Sent[] {
    return left.filter(
      ({ ask, id, answer }) =>
        answer === null || answer.kind === 'credited' || !isDeepStrictEqual(model.answer(ask, id), answer),
    )
  }

  function isNext({ ask, id, answer }: Sent): boolean {
    if (answer !== null && answer.kind !== 'credited') return false
    const fresh = appended.get(`${ask.partnerId} ${ask.tenantId}`)
    const at = model.history(ask).length - (fresh?.before ?? 0)
    if (fresh?.ids[at] !== id) return false
    const expected = model.answer(ask, id)
    if (fresh.caps !== undefined && !isDeepStrictEqual(model.capsFor(ask), fresh.caps[at])) return false
    return answer === null ? expected.kind === 'credited' : isDeepStrictEqual(expected, answer)
  }

  function place(before: Sent[], change: Change | null): boolean {
    const left = withoutReadings(before)
    if (left.length === 0 && change === null) return true
    const key = `${change === null} ${left.map(({ id }) => id)}`
    if (hopeless.has(key)) return false
    if (change !== null) {
      const undo = change(model)
      if (place(left, null)) return true
      undo()
    }
    for (const next of left) {
      if (!isNext(next)) continue
      const undo = model.credit(next.ask, next.id)
      const others = left.filter((other) => other !== next)
      if (place(others, change)) return true
      undo()
    }
    hopeless.add(key)
    return false
  }
  return place(open, change)
}
