/** Cuts a stream into messages: a letter, a length that counts itself, the rest. The very first has no letter. */
export function inMessages(onMessage: (message: Buffer) => void, { greetingFirst = false } = {}) {
  let rest: Buffer = Buffer.alloc(0)
  let letterBytes = greetingFirst ? 0 : 1
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= letterBytes + 4) {
      const end = letterBytes + rest.readUInt32BE(letterBytes)
      if (rest.length < end) return
      const message = rest.subarray(0, end)
      rest = rest.subarray(end)
      letterBytes = 1
      onMessage(message)
    }
  }
}

/** A letter, a length that counts itself, the text. */
export function postgresMessage(letter: string, text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + Buffer.byteLength(text))
  return Buffer.concat([Buffer.from(letter), length, Buffer.from(text)])
}
