import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const blockBytes = 512
/** The time that npm gives every file of a package, so that the same files make the same tarball. */
const modified = 499_162_500

/** Files as npm packs them: a gzipped tar archive in which all are in the folder "package". */
export async function tarball(files: Map<string, string>): Promise<Buffer> {
  const blocks = [...files].flatMap(([path, text]) => {
    const content = Buffer.from(text)
    const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)
    return [header(`package/${path}`, content.length), content, padding]
  })
  return promisify(gzip)(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), { level: 9 })
}

/** The header of a regular file in the format ustar (POSIX.1-1988). */
function header(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar header`)
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  block.write(path, 0)
  block.write(octal(0o644, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(size, 11), 124)
  block.write(octal(modified, 11), 136)
  block.write(' '.repeat(8), 148) // the checksum counts as spaces while it is computed
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  const checksum = block.reduce((sum, byte) => sum + byte, 0)
  block.write(`${octal(checksum, 6)} `, 148)
  return block
}
