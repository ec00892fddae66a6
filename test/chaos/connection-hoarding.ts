import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { ownAddress } from '../support/own-address.ts'
import { requestText } from '../support/raw-http.ts'
import { compareSeen, watchNeighbors } from './neighbors.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'

const partners = ['acme', 'globex', 'initech'].map((partnerId) => ({ partnerId }))
const livez = requestText('GET /livez HTTP/1.1', ['Host: localhost'])
const openAtOnce = 50
const openEveryMs = 10
const perAddress = 1024

/**
 * Clients that open connections, send a little, and keep them. First `--of-one-address`, from an address of this machine
 * that is not loopback (if there is one): only 1,024 of them are accepted. Then `--idle` connections from loopback,
 * which is not counted: they take all slots, and must be closed when an active client needs one.
 */
export const connectionHoarding = scenario({
  what: 'thousands of connections that are opened and kept, while partners and newcomers go on',
  defaults: { 'of-one-address': 1500, idle: 4500, ms: 5000, 'memory-max-percent': 0, 'p99-max-percent': 0 },
  run: ({ 'of-one-address': ofOneAddress, idle, ms, seed, ...bounds }) =>
    play({ seed, partners }, async ({ stage, startServer, log, after }) => {
      const seconds = ms / 1000
      const server = await startServer({ HOST: '0.0.0.0' })
      const port = Number(new URL(server.url).port)
      const sockets = new Set<Socket>()
      const answered = new Set<Socket>()
      after(() => {
        for (const socket of sockets) socket.destroy()
      })
      function open(address: string): void {
        const socket = connect(port, address)
        sockets.add(socket)
        socket.write(livez)
        socket.on('data', () => answered.add(socket))
        socket.on('error', () => {})
        socket.once('close', () => {
          sockets.delete(socket)
          answered.delete(socket)
        })
      }
      async function hoard(address: string, count: number): Promise<void> {
        for (let opened = 0; opened < count; opened++) {
          open(address)
          if (opened % openAtOnce === 0) await sleep(openEveryMs)
        }
      }
      const watch = (name: string, attack?: () => void) =>
        watchNeighbors(server, { stage, log, name, seconds }, attack)

      const quiet = await watch('quiet')
      const address = ownAddress()
      const violations: string[] = []
      let kept: number | string = 'no address to try it from'
      if (address !== null) {
        await hoard(address, ofOneAddress)
        const decided = () => answered.size === sockets.size
        await eventually('each is answered or closed', decided, { withinMs: 30_000 })
        kept = answered.size
        if (kept > perAddress) violations.push(`I31: one address has ${kept} connections`)
      }
      const attacked = await watch('idle', () => void hoard('127.0.0.1', idle))
      const compared = compareSeen(quiet, attacked, bounds)
      return {
        figures: {
          'connections tried from one address': ofOneAddress,
          'kept of them': kept,
          'idle connections tried': idle,
          'open at the end': answered.size,
          ...compared.figures,
        },
        violations: [...violations, ...compared.violations],
      }
    }),
})
