import type { HistogramReading } from '../../histogram.ts'

/** A metric as plain data: it travels between processes, and prom-client adds up and formats what it finds here. */
export type Metric = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** How the values of several processes become one. */
  aggregator: 'sum' | 'max'
  values: { metricName?: string; labels: Labels; value: number }[]
}

/** Only from our own lists, and partner ids: never an order, an address or a key. */
type Labels = Record<string, string | number>

type Sample = { labels?: Labels; value: number }

export function counter(name: string, help: string, samples: Sample[]): Metric {
  return { name, help, type: 'counter', aggregator: 'sum', values: samples.map(withLabels) }
}

export function gauge(
  name: string,
  help: string,
  samples: Sample[],
  aggregator: Metric['aggregator'] = 'sum',
): Metric {
  return { name, help, type: 'gauge', aggregator, values: samples.map(withLabels) }
}

type HistogramSample = { labels?: Labels; reading: HistogramReading }

/** `unit`: how many of what was observed make one of what the name says (1,000 ms are a second). */
export function histogram(name: string, help: string, samples: HistogramSample[], unit = 1): Metric {
  const values = samples.flatMap(({ labels = {}, reading: { upTo, count, sum } }) => [
    ...upTo.map(({ bound, count }) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bound / unit },
      value: count,
    })),
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: sum / unit },
    { metricName: `${name}_count`, labels, value: count },
  ])
  return { name, help, type: 'histogram', aggregator: 'sum', values }
}

function withLabels({ labels = {}, value }: Sample) {
  return { labels, value }
}
