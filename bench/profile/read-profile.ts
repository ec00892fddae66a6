import { type Frame, type Stage, stageOf } from './stages.ts'

/** A .cpuprofile as V8 writes it: a tree of frames, and which of them was running at each sample. */
export type CpuProfile = {
  nodes: { id: number; callFrame: Frame; children?: number[] }[]
  startTime: number
  endTime: number
  samples: number[]
  timeDeltas: number[]
}

/** Microseconds of each stage between two moments, both given as microseconds before the profile's end. */
export function microsecondsByStage(
  { nodes, startTime, endTime, samples, timeDeltas }: CpuProfile,
  { from, to }: { from: number; to: number },
): Map<Stage, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  /** The innermost first. */
  function stackOf(id: number): Frame[] {
    const parent = parents.get(id)
    return [frames.get(id)!, ...(parent === undefined ? [] : stackOf(parent))]
  }

  const spent = new Map<Stage, number>()
  const stageOfNode = new Map<number, Stage>()
  let time = startTime
  for (const [index, id] of samples.entries()) {
    const took = timeDeltas[index]!
    time += took
    const beforeEnd = endTime - time
    if (beforeEnd > from || beforeEnd < to || frames.get(id)!.functionName === '(idle)') continue
    const stage = stageOfNode.get(id) ?? stageOf(stackOf(id))
    stageOfNode.set(id, stage)
    spent.set(stage, (spent.get(stage) ?? 0) + took)
  }
  return spent
}
