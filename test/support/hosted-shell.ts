import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from './command-line.ts'
import type { Lifetime } from './service.ts'

/** Longer than a running server takes to notice what the command line changed. */
const noticedMs = 600

/**
 * The beginning of a bash script in which `node bin/partner-credit.js …` does what it does in any shell, but in the process
 * of command-host.ts: to start one for each line of the docs takes most of the time of a page. What that process cannot
 * run (see there), and every other program for Node, runs as usual.
 * `pause` is a function for the script, too: it takes as long as a server in this process needs to notice a change. `look`
 * waits until that server has written to its journal what it has answered so far.
 */
export async function hostedShell(test: Lifetime, lookNow = async () => {}): Promise<string> {
  const server = createServer((request, response) => {
    // Without a response the script would wait for ever.
    answer(request, response, lookNow).catch((error) => {
      response.writeHead(500).end(`printf %s ${quoted(String(error))} >&2; false`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const ask = `curl -sS --fail-with-body --noproxy '*' http://127.0.0.1:${port}`
  return `
    node() {
      case "$1 $2" in
        'bin/partner-credit.js serve' | 'bin/partner-credit.js export' | 'bin/partner-credit.js doctor') ;;
        'bin/partner-credit.js '*)
          eval "$({ env -0; printf '\\0'; printf '%s\\0' "\${@:2}"; } | ${ask}/command --data-binary @-)"
          return ;;
      esac
      command node "$@"
    }
    pause() { ${ask}/pause; }
    look() { ${ask}/look; }
  `
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  lookNow: () => Promise<void>,
): Promise<void> {
  if (request.url === '/look') await lookNow()
  if (request.url === '/pause') await sleep(noticedMs)
  response.end(request.url === '/command' ? await runAsked(await text(request)) : '')
}

/** The question: the environment, an empty part, the arguments. The answer is what the shell does next. */
async function runAsked(asked: string): Promise<string> {
  const parts = asked.split('\0').slice(0, -1)
  const end = parts.indexOf('')
  const environment = Object.fromEntries(
    parts.slice(0, end).map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  )
  const { code, stdout, stderr } = await runCommand(parts.slice(end + 1), {
    cwd: environment.PWD!,
    environment,
  })
  return `printf %s ${quoted(stdout)}; printf %s ${quoted(stderr)} >&2; (exit ${code})`
}

function quoted(output: string): string {
  return `'${output.replaceAll("'", "'\\''")}'`
}
