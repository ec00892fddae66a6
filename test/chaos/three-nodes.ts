import type { ServerProcess } from '../support/server-process.ts'
import type { Scene } from './play.ts'

/** Three servers on the scenario's database, each in its own process. */
export function startThreeNodes(
  { startServer }: Pick<Scene, 'startServer'>,
  environment: Record<string, string> = {},
): Promise<ServerProcess[]> {
  return Promise.all([1, 2, 3].map(() => startServer(environment)))
}

/** Stops them as an operator does; a server that cannot be stopped, or has died before, is a violation. */
export async function endNodes(nodes: ServerProcess[]): Promise<string[]> {
  const codes = await Promise.all(nodes.map((node) => node.end('SIGTERM')))
  return codes.filter((code) => code !== 0).map((code) => `I29: a node ended with ${code}`)
}
