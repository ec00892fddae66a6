import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sign } from '../../src/access/signature.ts'
import { longRun } from '../../test/support/long-run.ts'
import { integerBelow, type Random, randomFrom } from '../../test/support/seeded-random.ts'

/** The process itself says at its end how much memory it had at its peak. */
const tellPeak = `data:text/javascript,import{writeSync}from'node:fs';process.on('exit',()=>writeSync(3,String(process.resourceUsage().maxRSS)))`

/**
 * `reconcile` as a process of its own, with lists as long as one likes on both sides, in different orders, and planted
 * differences that it must find to the last one. Its heap is small, so that it dies if what it holds grows with the
 * lists; with a large one V8 would let garbage lie and show nothing. The history comes from a server that checks signatures and pages as the service does, but makes up its awards.
 */
await longRun(
  'reconcile',
  { rows: 1_000_000, heapMiB: 48, peakMiB: 200 },
  async ({ rows, heapMiB, peakMiB, seed }) => {
    const random = randomFrom(seed)
    const folder = mkdtempSync(join(tmpdir(), 'partner-credit-million-'))
    const secret = 'pcs_million'
    const server = createServer((request, response) => {
      const url = new URL(request.url!, 'http://localhost')
      const { 'x-timestamp': timestamp, 'x-signature': signature } = request.headers
      if (signature !== sign(secret, String(timestamp), 't1')) return void response.writeHead(401).end()
      const from = Number(url.searchParams.get('cursor') ?? 0)
      const limit = Number(url.searchParams.get('limit'))
      const items = Array.from({ length: Math.min(limit, rows - from) }, (_, index) =>
        awardAt(from + index, rows),
      )
      const nextCursor = from + limit < rows ? String(from + limit) : null
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ tenantId: 't1', items, nextCursor }))
    })
    try {
      const list = join(folder, 'orders.csv')
      const planted = await writeList(list, rows, random)
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const output = join(folder, 'findings.csv')
      const before = new Set(readdirSync(tmpdir()))
      const { code, peakKiB, stderr } = await reconcile(list, output, { url, secret, heapMiB })
      const found = existsSync(output) ? countsIn(readFileSync(output, 'utf8')) : {}
      const left = readdirSync(tmpdir()).filter(
        (name) => /^partner-credit-\w{6}$/.test(name) && !before.has(name),
      )
      const violations = [
        ...(code === 1 ? [] : [`exit code ${code}: ${stderr}`]),
        ...Object.entries(planted)
          .filter(([finding, count]) => (found[finding] ?? 0) !== count)
          .map(([finding, count]) => `${count} ${finding} planted, ${found[finding] ?? 0} found`),
        ...(peakKiB / 1024 <= peakMiB ? [] : [`${Math.round(peakKiB / 1024)} MiB at its peak`]),
        ...left.map((name) => `${name} is left behind`),
      ]
      return { figures: { rows, ...planted, peakMiB: Math.round(peakKiB / 1024) }, violations }
    } finally {
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true })
    }
  },
)

/** Newest first: the last order has the position 0. */
function awardAt(position: number, rows: number) {
  const order = rows - 1 - position
  return {
    epTransactionId: `00000000-0000-7000-8000-${String(order).padStart(12, '0')}`,
    orderId: `order-${order}`,
    userEmail: `user${order % 1000}@example.com`,
    points: 1 + (order % 50),
    note: null,
    awardedAt: new Date(1_763_000_000_000 + order).toISOString(),
  }
}

/** The orders in another sequence than they were credited in, and about one in a thousand of each difference. */
async function writeList(path: string, rows: number, random: Random) {
  const file = createWriteStream(path)
  const planted = { missing: 0, extra: 0, different: 0, repeated: 0, unreadable: 0 }
  const step = coprimeTo(rows)
  file.write('order,email,amount\r\n')
  for (let index = 0; index < rows; index++) {
    const order = (index * step) % rows
    const row = (amount = `${1000 + (order % 50) * 1000}`, name = `order-${order}`) =>
      `${name},User${order % 1000}@example.com,${amount}\r\n`
    let written = row()
    const chance = integerBelow(random, 1000)
    if (chance === 0) {
      written = ''
      planted.extra++
    } else if (chance === 1) {
      written = row('99000')
      planted.different++
    } else if (chance === 2) {
      written = row() + row('1000', `never-${order}`)
      planted.missing++
    } else if (chance === 3) {
      written = row() + row()
      planted.repeated++
    } else if (chance === 4) {
      written = row('many')
      planted.unreadable++
    }
    if (!file.write(written)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  return planted
}

function coprimeTo(rows: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))
  let step = Math.floor(rows * 0.618) + 1
  while (divisor(step, rows) !== 1) step++
  return step
}

async function reconcile(
  list: string,
  output: string,
  { url, secret, heapMiB }: { url: string; secret: string; heapMiB: number },
) {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heapMiB}`,
      '--max-semi-space-size=8',
      '--import',
      tellPeak,
      main,
      'reconcile',
      list,
      '--tenant',
      't1',
      '--format',
      'csv',
      '--output',
      output,
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        BASE_URL: url,
        API_KEY: 'pck_million',
        SIGNING_SECRET: secret,
      },
    },
  )
  const [[code], stderr, peak] = await Promise.all([
    once(child, 'close'),
    text(child.stderr!),
    text(child.stdio[3] as Readable),
  ])
  return { code: code as number, peakKiB: Number(peak), stderr }
}

function countsIn(csv: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const line of csv.split('\r\n').slice(1, -1)) {
    const finding = line.slice(0, line.indexOf(','))
    counts[finding] = (counts[finding] ?? 0) + 1
  }
  return counts
}
