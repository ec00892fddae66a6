import { table } from '../src/cli/output.ts'
import type { BenchRun, Measured } from './bench-run.ts'
import { median } from './median.ts'
import { reaches, type Target, type TargetName, targets } from './targets.ts'

/** The measured figures, each with its target. */
export type Figures = Partial<Record<TargetName, number>>

type Report = { text: string; json: string; floorsMissed: TargetName[] }

export function report(bench: BenchRun, figures: Figures): Report {
  const { options, violations, warnings, values } = bench
  const measured = Object.entries(figures) as [TargetName, number][]
  const floorsMissed = measured
    .filter(([name, value]) => !reaches(targets[name], value, targets[name].floor))
    .map(([name]) => name)
  const runs = Object.fromEntries([...bench.runs].map(([name, rounds]) => [name, medians(rounds)]))
  const lines = [
    table(
      ['what', 'measured', 'floor', 'aim', 'ok?'],
      measured.map(([name, value]) => row(targets[name], value)),
    ),
    '',
    table(
      [
        'run (medians)',
        'per second',
        'p50 ms',
        'p99 ms',
        'p99.9 ms',
        'server, of a core',
        'CPU µs each',
        'generator',
        'elsewhere',
      ],
      Object.entries(runs).map(([name, run]) => [
        name,
        Math.round(run.perSecond).toLocaleString('en'),
        run.p50Ms.toFixed(2),
        run.p99Ms.toFixed(2),
        run.p999Ms.toFixed(2),
        threads(run.server),
        run.serverCpuUs,
        `${Math.round(run.generatorCpu * 100)} % CPU, loop ${Math.round(run.generatorLoop * 100)} %`,
        `${Math.round(run.elsewhere * 100)} %`,
      ]),
    ),
    '',
    ...Object.entries(values).map(([name, value]) => `${name}: ${value.toLocaleString('en')}`),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...violations.slice(0, 20).map((violation) => `WRONG: ${violation}`),
  ]
  const shown = Object.fromEntries(
    measured.map(([name, value]) => [
      name,
      { measured: value, floor: targets[name].floor, aim: targets[name].aim },
    ]),
  )
  const { silent, ...chosen } = options
  const json = { run: 'bench', ...chosen, figures: shown, runs, values, warnings, violations, floorsMissed }
  return { text: lines.join('\n'), json: JSON.stringify(json), floorsMissed }
}

function row(target: Target, value: number): string[] {
  const ok = reaches(target, value, target.floor)
  const verdict = reaches(target, value, target.aim) ? 'yes, the aim' : ok ? 'yes' : 'NO'
  const bound = target.better === 'more' ? '≥ ' : '≤ '
  const text = (number: number) =>
    `${Number(number.toPrecision(3)).toLocaleString('en')} ${target.unit}`.trim()
  return [target.what, text(value), bound + text(target.floor), bound + text(target.aim), verdict]
}

function medians(rounds: Measured[]) {
  const of = (value: (run: Measured) => number) => Math.round(median(rounds.map(value)) * 1000) / 1000
  const names = [...new Set(rounds.flatMap(({ server }) => Object.keys(server)))]
  return {
    rounds: rounds.map(({ perSecond }) => perSecond),
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    p999Ms: of(({ p999Ms }) => p999Ms),
    lagP99Ms: of(({ lagP99Ms }) => lagP99Ms),
    generatorCpu: of(({ generatorCpu }) => generatorCpu),
    generatorLoop: of(({ generatorLoop }) => generatorLoop),
    serverCpuUs: of(({ serverCpuUs }) => serverCpuUs),
    elsewhere: of(({ elsewhere }) => elsewhere),
    server: Object.fromEntries(names.map((name) => [name, of(({ server }) => server[name] ?? 0)])),
  }
}

function threads(server: Record<string, number>): string {
  return Object.entries(server)
    .filter(([, share]) => share >= 0.02)
    .map(([name, share]) => `${name} ${Math.round(share * 100)} %`)
    .join(', ')
}
