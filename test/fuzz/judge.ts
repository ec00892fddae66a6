import type { WireAnswer } from './answer-reader.ts'
import type { Exchange } from './exchange.ts'
import { ExpectedLedger } from './expected-ledger.ts'
import { type FuzzRequest, type Material, remember } from './fuzz-request.ts'
import { judgeAnswer, privateIn } from './published.ts'

const violationsMax = 100
const errorLevel = 50

/** Compares the responses with what was promised, and counts. */
export class Judge {
  readonly expected = new ExpectedLedger()
  readonly answers = new Map<string, number>()
  readonly violations: string[] = []
  /** Complete requests behind one whose response said `connection: close`. */
  cutOff = 0
  readonly #target: string
  readonly #material: Material

  constructor(target: string, material: Material) {
    this.#target = target
    this.#material = material
  }

  complain(violation: string): void {
    const text = `${this.#target}: ${violation}`
    if (this.violations.length < violationsMax && !this.violations.includes(text)) this.violations.push(text)
  }

  addAll(violations: string[]): void {
    for (const violation of violations) this.complain(violation)
  }

  settle(requests: FuzzRequest[], { answers, hungUp, reset, fault }: Exchange): void {
    const last = requests.at(-1)!
    if (fault !== null) this.#complainOf(last, fault)
    const closes = answers.at(-1)?.headers.get('connection')?.toLowerCase() === 'close'
    const whole = requests.filter((request) => request.whole)
    for (const [position, request] of whole.entries()) {
      const answer = answers[position]
      if (answer !== undefined) this.#settleOne(request, answer)
      else {
        this.cutOff++
        if (request.award !== null) this.expected.unknown(request.award)
        const isLost = reset && requests.some(({ mayClose }) => mayClose)
        if (isLost) this.#count('lost to a reset')
        if (!closes && !isLost && fault === null) this.#complainOf(request, 'was not answered')
      }
    }
    if (last.whole) return
    const more = answers.slice(whole.length)
    if (more.length === 0) this.#count(hungUp ? 'broken, we hung up' : 'broken, closed unanswered')
    if (more.length === 0 && last.award !== null) this.expected.unknown(last.award)
    for (const answer of more) this.#settleOne(last, answer)
  }

  #settleOne(request: FuzzRequest, answer: WireAnswer): void {
    const judged = judgeAnswer(answer, request.isHead)
    if ('fault' in judged) {
      this.#complainOf(request, `the answer ${judged.fault}`, answer)
      return
    }
    const { name, body } = judged
    this.#count(name)
    const isOk = answer.status === 200 || answer.status === 202
    if (isOk && !request.mayBeOk) this.#complainOf(request, 'must not be ok', answer)
    if (name === '401 INVALID_SIGNATURE' && request.authentic)
      this.#complainOf(request, 'is signed right', answer)
    if (request.sound && answer.status !== 202 && answer.status !== 503)
      this.#complainOf(request, 'keeps every rule', answer)
    const fault = this.#keep(request, name, body)
    if (fault !== null) this.#complainOf(request, fault, answer)
  }

  // biome-ignore lint/suspicious/noExplicitAny: judged before, by its name
  #keep({ award }: FuzzRequest, name: string, body: any): string | null {
    if (name === '200' && typeof body?.nextCursor === 'string')
      remember(this.#material.cursors, body.nextCursor)
    if (name === '503 UNAVAILABLE' && award !== null) this.expected.unknown(award)
    if (name !== '202' && name !== '200 DUPLICATE') return null
    if (award === null) return 'no award was signed'
    if (name !== '202') return this.expected.duplicate(award, body)
    remember(this.#material.credited, award)
    return this.expected.credited(award, body)
  }

  /** Nothing private may be logged, and no bug may be. */
  readLog(lines: string[]): void {
    for (const line of lines) {
      const leak = privateIn(line)
      if (leak !== null) this.complain(`the log holds ${leak}: ${line}`)
      const [, level] = /"level":(\d+)/.exec(line) ?? []
      if (level === undefined || Number(level) >= errorLevel) this.complain(`the log says: ${line}`)
    }
  }

  #count(name: string): void {
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1)
  }

  #complainOf({ index, what, bytes }: FuzzRequest, fault: string, answer?: WireAnswer): void {
    const sent = JSON.stringify(bytes.toString('latin1')).slice(0, 1500)
    const got = answer === undefined ? '' : `; answered ${answer.status} ${answer.text.slice(0, 500)}`
    this.complain(`request ${index} (${what}): ${fault}${got}; sent ${sent}`)
  }
}
