import type { Connection } from './connection.ts'
import { limits } from './limits.ts'

/** Node calls it at every read and write, to restart the timeout of the socket. */
type Timed = { _unrefTimer?(): void }

type ReadEvents = {
  /** As much as Node reads at once: there may be more behind it. */
  onFull(): void
  /**
   * Bytes that have become no request. Node's parser skips empty lines before a request and zeros before the size of a
   * chunk, any number of them. No other limit counts these, but to read them takes as long as to read requests.
   */
  onWasted(bytes: number): void
}

export function watchReads(connection: Connection, { onFull, onWasted }: ReadEvents): void {
  const socket = connection.socket as typeof connection.socket & Timed
  const restartTimeout = socket._unrefTimer
  if (restartTimeout === undefined) return // Node's server accepts any stream, and one that is not a socket has no timeout
  let read = 0
  let mayCome: number = limits.bytesAheadMax
  socket._unrefTimer = () => {
    const bytes = socket.bytesRead - read
    // What a client sends does not show that it reads its response.
    if (bytes === 0 || !connection.unreadWatched) restartTimeout.call(socket)
    if (bytes === 0) return
    read += bytes
    if (bytes >= limits.readBytesMax) onFull()
    mayCome = Math.min(mayCome + connection.bytesExpected - bytes, limits.bytesAheadMax)
    connection.bytesExpected = 0
    if (mayCome >= 0) return
    onWasted(-mayCome)
    mayCome = 0
  }
}
