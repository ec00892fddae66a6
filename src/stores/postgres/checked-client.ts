import type { Duplex } from 'node:stream'
import pg from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'

/**
 * A malformed message, as a broken proxy may send it, breaks the connection and fails its statements. In the driver's own
 * client it is thrown in an event of the socket, and ends the whole process.
 */
export class CheckedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const { connection } = this
    Object.assign(connection, {
      attachListeners(stream: Duplex) {
        const parser = new CheckedParser()
        stream.on('data', (bytes: Buffer) => {
          try {
            parser.parse(bytes, (message) =>
              connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message),
            )
          } catch (error) {
            stream.destroy(error as Error)
          }
        })
      },
    })
  }
}

type Message = { name: string }

/** The method that reads a message is private in the driver's types. `length` counts itself, and `at` is behind it. */
const DriverParser = Parser as unknown as new () => {
  parse(bytes: Buffer, onMessage: (message: Message) => void): void
  handlePacket(at: number, code: number, length: number, bytes: Buffer): Message
}

const lengthBytes = 4
const [errorCode, noticeCode] = Buffer.from('EN')

class CheckedParser extends DriverParser {
  override handlePacket(at: number, code: number, length: number, bytes: Buffer): Message {
    if (length < lengthBytes) throw new Error('the database sent a message of a negative length')
    if (code === errorCode || code === noticeCode) {
      // The end of the last field, and that of the list. The driver would search for it behind the message, forever.
      const end = at + length - lengthBytes
      if (end - at < 2 || bytes[end - 1] !== 0 || bytes[end - 2] !== 0)
        throw new Error('the database sent an error without an end')
    }
    return super.handlePacket(at, code, length, bytes)
  }
}
