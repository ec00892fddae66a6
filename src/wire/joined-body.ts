import { limits } from './limits.ts'
import { IncomingMessage } from './node-http.ts'

const joinedBytesMax = 1_024

/**
 * A client may send its body byte by byte. Node makes an object of several hundred bytes for each piece, and all of them would
 * wait until the body is complete: 64 KiB would take tens of megabytes. Here small pieces are joined; no route reads a
 * body before its end.
 */
export class JoinedRequest extends IncomingMessage {
  declare joined: Buffer | null
  declare joinedLength: number

  override push(piece: Buffer | null): boolean {
    if (piece !== null && piece.length < limits.smallChunkBytes && this.hasLength()) {
      this.joined ??= Buffer.allocUnsafeSlow(joinedBytesMax)
      this.joinedLength += piece.copy(this.joined, this.joinedLength)
      return this.joinedLength + limits.smallChunkBytes <= joinedBytesMax || this.passOn()
    }
    if (this.joined !== null) this.passOn()
    return super.push(piece)
  }

  /** Chunks are limited by their number, and with them a body grows too large in any piece. */
  hasLength(): boolean {
    return this.headers['content-length'] !== undefined
  }

  /** A copy, because a large piece may come behind a single byte, again and again. */
  passOn(): boolean {
    const bytes = Buffer.from(this.joined!.subarray(0, this.joinedLength))
    this.joined = null
    this.joinedLength = 0
    return super.push(bytes)
  }
}

// Not in each request: most bodies come in one piece, and no award pays for those that do not.
Object.assign(JoinedRequest.prototype, { joined: null, joinedLength: 0 })
