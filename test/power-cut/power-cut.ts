import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { progressBar } from '../../src/cli/progress.ts'
import { longRun } from '../support/long-run.ts'
import { randomFrom } from '../support/seeded-random.ts'
import { cutPower } from './cut-power.ts'
import { imageFolder } from './image-folder.ts'
import { type RecordedRun, recordRun } from './record-run.ts'
import { buildRecorder } from './recorder.ts'

/**
 * npm run power-cut: `rounds` runs of the real service on SQLite, each recorded and then cut at `images` places. The
 * control, the same with synchronous=NORMAL, must lose: otherwise this test could not see a loss. The seed repeats
 * the awards and the choice of cuts, not the timing of a run; so a round with a violation is kept, with its images.
 * `--normal` runs the rounds like the control: that must fail.
 */
await longRun(
  'power-cut',
  { awards: 500, images: 2000, rounds: 1, normal: false },
  async ({ awards, images, rounds, normal, seed }) => {
    const synchronous = normal ? 'NORMAL' : 'FULL'
    const random = randomFrom(seed)
    const folder = mkdtempSync(join(tmpdir(), 'partner-credit-power-cut-'))
    const memory = imageFolder()
    const bar = progressBar('cutting the power')
    const figures = {
      'awards acknowledged': 0,
      'of them as DUPLICATE after a kill': 0,
      'syncs recorded': 0,
      'of them of checkpoints': 0,
      'images cut at syncs': 0,
      'images torn': 0,
      'images that lost an acknowledged award': 0,
      'control: images': 0,
      'control: images that lost an acknowledged award': 0,
    }
    const violations: string[] = []
    try {
      const recorder = buildRecorder(folder)
      for (let round = 1; round <= rounds; round++) {
        const kept = join(folder, `round-${round}`)
        const run = await recordRun({ folder: kept, recorder, awards, random, synchronous })
        const onImage = (done: number) => bar.show((round - 1 + done) / rounds)
        // `images` in total; those at the syncs are always made.
        const tornImages = Math.max(0, images - 2 * syncsOf(run).length)
        const cut = await cutPower(run, { folder: memory.path, evidence: kept, random, tornImages, onImage })
        figures['awards acknowledged'] += run.orders.size
        figures['of them as DUPLICATE after a kill'] += run.duplicates
        figures['syncs recorded'] += syncsOf(run).length
        figures['of them of checkpoints'] += syncsOf(run).filter(({ path }) => path === run.ledger).length
        figures['images cut at syncs'] += cut.imagesAtSyncs
        figures['images torn'] += cut.imagesTorn
        figures['images that lost an acknowledged award'] += cut.imagesThatLost
        violations.push(...cut.violations.map((violation) => `${kept}: ${violation}`))
        if (cut.violations.length === 0) rmSync(kept, { recursive: true })
      }
      const control = await recordRun({
        folder: join(folder, 'control'),
        recorder,
        awards: Math.min(awards, 100),
        random,
        synchronous: 'NORMAL',
      })
      const cut = await cutPower(control, { folder: memory.path, random, tornImages: Math.min(images, 200) })
      figures['control: images'] = cut.imagesAtSyncs + cut.imagesTorn
      figures['control: images that lost an acknowledged award'] = cut.imagesThatLost
      if (cut.imagesThatLost === 0) violations.push('the control lost nothing: a loss cannot be seen here')
      return { figures, violations }
    } finally {
      bar.end()
      memory.remove()
      if (violations.length === 0) rmSync(folder, { recursive: true })
    }
  },
)

function syncsOf({ operations }: RecordedRun) {
  return operations.filter((operation) => operation.kind === 'sync')
}
