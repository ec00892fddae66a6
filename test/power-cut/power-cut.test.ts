import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { seededRandom } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/service.ts'
import { type CutResult, cutPower } from './cut-power.ts'
import { imageFolder } from './image-folder.ts'
import { type RecordedRun, type RunSettings, recordRun } from './record-run.ts'
import { buildRecorder, canRecord, neededToRecord } from './recorder.ts'

describe('a power cut', { concurrency: true }, () => {
  test('at any sync, or with any later sectors torn, leaves a sound ledger with every acknowledged award', async (t) => {
    const proof = await recordAndCut(t, { awards: 40, synchronous: 'FULL', tornImages: 40 })
    if (proof === null) return
    const { run, cut } = proof
    assert.deepEqual(cut.violations, [])
    assert.equal(run.orders.size, 40)
    assert.ok(run.duplicates > 0, 'the server was killed with an award written, and not synced')
    assert.ok(cut.imagesAtSyncs >= 60 && cut.imagesTorn === 40)
  })

  test('is seen to lose acknowledged awards where synchronous is NORMAL: the control', async (t) => {
    const proof = await recordAndCut(t, { awards: 20, synchronous: 'NORMAL', tornImages: 20 })
    if (proof === null) return
    assert.ok(proof.cut.imagesThatLost > 0)
  })
})

/** Null, without a test, on a machine that cannot record. In CI that is a failure. */
async function recordAndCut(
  t: TestContext,
  { tornImages, ...settings }: Pick<RunSettings, 'awards' | 'synchronous'> & { tornImages: number },
): Promise<{ run: RecordedRun; cut: CutResult } | null> {
  if (!canRecord()) {
    assert.equal(process.env.CI, undefined, `this test needs ${neededToRecord}`)
    t.diagnostic(`NOT TRIED: it needs ${neededToRecord}`)
    return null
  }
  const random = seededRandom(t)
  const folder = temporaryFolder(t)
  const memory = imageFolder()
  t.after(() => memory.remove())
  const run = await recordRun({ folder, recorder: buildRecorder(folder), random, ...settings })
  const cut = await cutPower(run, { folder: memory.path, random, tornImages })
  t.diagnostic(
    `${run.orders.size} awards acknowledged, ${cut.imagesAtSyncs} images cut at syncs, ${cut.imagesTorn} torn, ` +
      `${cut.imagesThatLost} that lost an acknowledged award`,
  )
  return { run, cut }
}
