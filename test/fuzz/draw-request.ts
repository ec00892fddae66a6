import { integerBelow, oneOf, type Random, randomFrom } from '../support/seeded-random.ts'
import { mutatedAward, soundAward } from './award-mutation.ts'
import { brokenHttp } from './broken-http.ts'
import { mutateBytes } from './byte-mutation.ts'
import { chance, type FuzzRequest, type Material, type SignedAward, type Signer } from './fuzz-request.ts'
import { closingGames, gamesFor, overflow } from './header-games.ts'
import { awardParts, type HttpParts, historyParts, requestBytes } from './http-parts.ts'
import { aQuery } from './query-mutation.ts'

/** The share of requests with mutated headers, and the share that breaks HTTP itself. */
export type Mix = { games: number; broken: number }

type Draft = { what: string; parts: HttpParts; signer: Signer; award: SignedAward | null; sound: boolean }

/** Request number `index` of a seed: the same each time, except for the clock, the keys and what was credited before. */
export function drawRequest(seed: number, index: number, mix: Mix, material: Material): FuzzRequest {
  const random = randomFrom(Math.imul(index + 1, 0x9e3779b1) ^ seed)
  // From its own seed: what was credited before influences the award, but not its mutation.
  const handling = randomFrom(Math.imul(index + 1, 0x85ebca6b) ^ seed)
  const draft = chance(random, 0.05)
    ? openDraft(random)
    : chance(random, 0.2)
      ? historyDraft(random, material)
      : awardDraft(random, index, material)
  const isLive = draft.signer !== material.signers.gone
  const kind = handling()
  if (kind < mix.broken) return brokenRequest(index, draft, isLive, handling)
  const request: FuzzRequest = {
    index,
    what: draft.what,
    bytes: Buffer.alloc(0),
    whole: true,
    mayClose: draft.parts.body.length > bodyBytesMax,
    isHead: false,
    award: isLive ? draft.award : null,
    mayBeOk: isLive,
    authentic: isLive,
    sound: draft.sound,
  }
  if (kind < mix.broken + mix.games) playAGame(request, draft, handling)
  if (!request.mayBeOk) request.award = null
  return { ...request, bytes: requestBytes(draft.parts), isHead: draft.parts.method === 'HEAD' }
}

function playAGame(request: FuzzRequest, { what, parts }: Draft, random: Random): void {
  const isOpen = what === 'open'
  const games = gamesFor(parts.method).filter(([, { effect }]) => !isOpen || effect !== 'refused')
  const [name, { effect, play }] = oneOf(random, games)
  play(parts, random)
  request.what = `${what}, ${name}`
  if (closingGames.includes(name)) request.mayClose = true
  if (name === overflow) request.whole = false
  if (effect === 'same') return
  request.authentic = false
  if (effect === 'either') return
  request.sound = false
  request.mayBeOk = false
}

function brokenRequest(
  index: number,
  { parts, award, what }: Draft,
  isLive: boolean,
  random: Random,
): FuzzRequest {
  const broken = brokenHttp(parts, random)
  return {
    index,
    what: `${what}, ${broken.what}`,
    bytes: broken.bytes,
    whole: false,
    mayClose: true,
    isHead: broken.bytes.subarray(0, 5).equals(Buffer.from('HEAD ')),
    award: isLive ? award : null,
    mayBeOk: isLive,
    authentic: false,
    sound: false,
  }
}

const bodyBytesMax = 65_536
const openTargets = [
  '/livez',
  '/readyz',
  '/docs/errors/INVALID_REQUEST',
  '/docs/errors/NOTHING',
  '/favicon.ico',
]

function openDraft(random: Random): Draft {
  const parts: HttpParts = {
    method: 'GET',
    target: oneOf(random, openTargets),
    version: '1.1',
    lines: [['Host', 'localhost']],
    body: Buffer.alloc(0),
    chunkBytes: null,
  }
  return {
    what: 'open',
    parts,
    signer: { partnerId: '', apiKey: '', signingSecret: '' },
    award: null,
    sound: false,
  }
}

function historyDraft(random: Random, { signers, now, cursors }: Material): Draft {
  const signer = oneOf(random, [
    signers.acme,
    signers.acme,
    signers.tight,
    signers.hushed,
    signers.rated,
    signers.gone,
  ])
  const { query, tenantId } = aQuery(random, cursors)
  const parts = historyParts(signer, query, tenantId, String(now()))
  return { what: 'history', parts, signer, award: null, sound: false }
}

function awardDraft(random: Random, index: number, material: Material): Draft {
  const { signers, now, refusedOnly, credited } = material
  const cornered = [signers.tight, signers.hushed]
  const others = [...cornered, signers.rated, signers.gone]
  let signer =
    refusedOnly || chance(random, 0.2) ? oneOf(random, refusedOnly ? cornered : others) : signers.acme
  const orderId = `o${index}`
  let body: Buffer
  let what = 'award'
  const sound = chance(random, 0.1)
  if (!sound && credited.length > 0 && chance(random, 0.1)) {
    const known = oneOf(random, credited)
    signer = Object.values(signers).find(({ partnerId }) => partnerId === known.partnerId)!
    body = chance(random, 0.3) ? known.body : replayed(known.body, random)
    what = 'replay'
    if (refusedOnly) signer = oneOf(random, cornered)
  } else {
    body = sound ? soundAward(random, orderId) : mutatedAward(random, orderId)
  }
  const parts = awardParts(signer, body, String(now() + integerBelow(random, 1000) - 500))
  const mustBeCredited = sound && signer === signers.acme
  return {
    what: sound ? 'sound award' : what,
    parts,
    signer,
    award: { partnerId: signer.partnerId, body },
    sound: mustBeCredited,
  }
}

/** A known order with something else in it. */
function replayed(body: Buffer, random: Random): Buffer {
  const text = body.toString()
  return oneOf(random, [
    () => Buffer.from(text.replace(/"amount"(\s*):(\s*)\d/, '"amount"$1:$29')),
    () => Buffer.from(text.replace('t1', 't2')),
    () => Buffer.from(text.replace('@example.com', '@example.org')),
    () => Buffer.from(text.replace('@example.com', '@EXAMPLE.com')),
    () => mutateBytes(body, random),
  ])()
}
