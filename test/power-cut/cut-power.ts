import { join } from 'node:path'
import { integerBelow, oneOf, type Random } from '../support/seeded-random.ts'
import { checkImage, type Promised, writeImage } from './check-image.ts'
import { Disk, type Image } from './disk.ts'
import type { RecordedRun } from './record-run.ts'

export type CutResult = {
  imagesAtSyncs: number
  imagesTorn: number
  /** Images that miss an award which was acknowledged before the cut. */
  imagesThatLost: number
  /** One sentence for each image that is wrong. */
  violations: string[]
}

type CutSettings = {
  /** For the images, one after the other. */
  folder: string
  /** Where wrong images are kept, as they were before they were opened. */
  evidence?: string
  random: Random
  /** Beside the two cuts at each sync. */
  tornImages: number
  onImage?(done: number): void
}

/** Cuts the power of a recorded run at many points, and checks what is left each time. */
export async function cutPower(run: RecordedRun, settings: CutSettings): Promise<CutResult> {
  const { folder, evidence, random, tornImages, onImage = () => {} } = settings
  const cuts = planCuts(run, random, tornImages)
  const result = { imagesAtSyncs: 0, imagesTorn: 0, imagesThatLost: 0, violations: [] as string[] }
  const disk = new Disk()
  const promised = new Map<string, Promised>()
  let at = 0
  for (const [index, cut] of cuts.entries()) {
    for (; at < cut.after; at++) {
      const operation = run.operations[at]!
      disk.apply(operation)
      if (operation.kind !== 'answer' || operation.acknowledged === null) continue
      const { epTransactionId } = operation.acknowledged
      promised.set(epTransactionId, { ...operation.acknowledged, orderId: run.orders.get(epTransactionId) })
    }
    const image = cut.image(disk)
    const { ledger } = run
    const { damage, lost } = await checkImage(image, { ledger, promised: promised.values(), folder })
    if (cut.isTorn) result.imagesTorn++
    else result.imagesAtSyncs++
    if (lost.length > 0) result.imagesThatLost++
    if (damage !== null || lost.length > 0) {
      if (evidence !== undefined) writeImage(image, join(evidence, `cut-${index}`))
      const what = damage ?? `lost ${lost.map(({ epTransactionId }) => epTransactionId)}`
      result.violations.push(
        `cut ${index}, after operation ${cut.after} of ${run.operations.length}, ${cut.how}: ${what}`,
      )
    }
    onImage((index + 1) / cuts.length)
  }
  return result
}

type PlannedCut = { after: number; how: string; isTorn: boolean; image(disk: Disk): Image }

/**
 * At every sync two: just before it ends, with all that it would have made durable lost, and just after it. Then torn
 * ones: as many just before the end of some sync, where most is pending, as anywhere.
 */
function planCuts({ operations }: RecordedRun, random: Random, tornImages: number): PlannedCut[] {
  const syncs = operations.flatMap(({ kind }, index) => (kind === 'sync' ? [index] : []))
  const atSyncs = syncs
    .flatMap((index) => [index, index + 1])
    .map((after) => ({ after, how: 'unsynced lost', isTorn: false, image: (disk: Disk) => disk.lost() }))
  const torn = Array.from({ length: tornImages }, () => {
    const after = random() < 0.5 ? oneOf(random, syncs) : integerBelow(random, operations.length + 1)
    const sectorBytes = oneOf(random, [512, 4096])
    const how = `sectors of ${sectorBytes} bytes torn`
    return { after, how, isTorn: true, image: (disk: Disk) => disk.torn(random, sectorBytes) }
  })
  return [...atSyncs, ...torn].sort((one, other) => one.after - other.after)
}
