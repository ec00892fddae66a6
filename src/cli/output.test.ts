import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aFolder, complaintOf, database, runCommand } from '../../test/support/command-line.ts'
import { jsonText, terminalSafe, terminalSafeLines } from '../terminal/safe-text.ts'

test('what a terminal would obey is shown as an escape, and everything else as it is', () => {
  assert.equal(terminalSafe('\u001b[2J\u009b31m\u0007'), '\\u{1b}[2J\\u{9b}31m\\u{7}')
  assert.equal(terminalSafe('a\r\nb\tc\u007f'), 'a\\u{d}\\u{a}b\\u{9}c\\u{7f}')
  assert.equal(
    terminalSafe('\u202egpj.exe\u2066\u200f\u2028\u061c'),
    '\\u{202e}gpj.exe\\u{2066}\\u{200f}\\u{2028}\\u{61c}',
  )
  assert.equal(terminalSafe('half \ud83d'), 'half \\u{d83d}')
  assert.equal(terminalSafe('R-1\u200b\ufeff\u00ad'), 'R-1\\u{200b}\\u{feff}\\u{ad}', 'nothing hides')
  for (const text of ['Ác mế', '\u{1f600}', '中文', 'a\\b', '']) assert.equal(terminalSafe(text), text)
  assert.equal(terminalSafeLines('one\ntwo\u001b'), 'one\ntwo\\u{1b}')
})

test('JSON has it as an escape, too, and is the same value', () => {
  const value = { name: 'Ác mế \u001b\u007f\u009b31m\u202e\u2028\u061c\u{1f600}' }
  assert.doesNotMatch(jsonText(value), /[\u001b\u007f\u009b\u202e\u2028\u061c]/)
  assert.deepEqual(JSON.parse(jsonText(value)), value)
})

const unsafe = /[\u001b\u009b\u0007\u202e]/
const clear = '\u001b[2J\u001b]0;x\u0007\u202e'

describe('no command lets what is in a database act on the terminal', { concurrency: 3 }, () => {
  test('names and ids that were written by SQL are shown with their escape codes spelled out', async (t) => {
    const { cwd, run, json } = await aFolder(t)
    const raw = new DatabaseSync(join(cwd, database))
    raw.prepare('UPDATE partners SET name = ?').run(`Acme${clear}`)
    raw.close()
    for (const args of [['partner', 'list'], ['partner', 'show', 'acme'], ['verify']]) {
      const { stdout, stderr } = await run(...args)
      assert.doesNotMatch(stdout + stderr, unsafe, args.join(' '))
    }
    assert.match((await run('partner', 'show', 'acme')).stdout, /Acme\\u\{1b\}\[2J/)
    assert.equal((await json('partner', 'show', 'acme')).name, `Acme${clear}`, 'JSON is exact')
  })

  test('nor does an error that quotes what it was given', async (t) => {
    const { run } = await aFolder(t)
    for (const args of [
      ['partner', 'show', `nobody${clear}`],
      ['partner', 'create', '--id', 'x', '--name', clear, '--tenant', 't1'],
      ['partner', 'create', '--id', 'x', '--name', 'X', '--tenant', clear],
      ['import', `file${clear}`],
      [`verify${clear}`],
      ['verify', '--database-url', `sqlite:${clear}`],
      ['export', '--out', `no such folder${clear}/x`],
    ]) {
      const { code, stdout, stderr } = await run(...args)
      assert.notEqual(code, 0)
      assert.notEqual(stderr, '')
      assert.doesNotMatch(stdout + stderr, unsafe, JSON.stringify(args))
    }
  })
})

test('a result that cannot be written, such as a new secret on a full disk, is a failure', async (t) => {
  const { cwd } = await aFolder(t)
  const launcher = fileURLToPath(new URL('../../bin/partner-credit.js', import.meta.url))
  const script = `'${process.execPath}' '${launcher}' key create acme > /dev/full`
  const full = await runCommand([script], { cwd, node: 'sh', program: '-c' })
  assert.match(complaintOf(full, 1), /cannot be written to standard output \(ENOSPC.*stays changed/)
})
