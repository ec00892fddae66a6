import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aFolder, complaintOf, documentOf, runCommand } from '../../test/support/command-line.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { writePage } from '../../test/support/write-page.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

describe('the command line', { concurrency: 3 }, () => {
  describe('a command that is wrong', () => {
    const create = ['partner', 'create', '--id', 'x', '--name', 'X', '--tenant', 't1']
    const wrong: [string, string[], RegExp][] = [
      ['an unknown command', ['verfy'], /unknown command 'verfy'.*Did you mean verify\?/],
      ['an unknown subcommand', ['partner', 'lst'], /unknown command 'lst'.*Did you mean list\?/],
      ['an unknown option', ['verify', '--jsn'], /unknown option '--jsn'.*Did you mean --json\?/],
      [
        'a missing option',
        ['partner', 'create', '--id', 'x'],
        /required option '--name <name>' not specified/,
      ],
      ['a missing argument', ['partner', 'show'], /missing required argument 'id'/],
      ['a cap in words', [...create, '--per-tx', 'lots'], /--per-tx.*whole EP/],
      ['caps without a cap', ['partner', 'caps', 'acme'], /specify --per-tx, --per-partner-day or both/],
      [
        'a wrong DATABASE_URL',
        ['verify', '--database-url', 'mysql://me:pw@h/db'],
        /DATABASE_URL must have the form/,
      ],
    ]
    for (const [what, args, expected] of wrong) {
      test(`(${what}) is reported in words, exit code 2, and creates nothing`, async (t) => {
        const cwd = temporaryFolder(t)
        const result = await runCommand(args, { cwd })
        assert.equal(result.code, 2)
        assert.equal(result.stdout, '')
        assert.match(result.stderr, /^partner-credit: /)
        assert.match(result.stderr.replaceAll('\n', ' '), expected)
        assert.doesNotMatch(result.stderr, /pw@|\n {4}at /)
        assert.equal(existsSync(join(cwd, 'data')), false)
      })
    }

    test('a ledger that is locked or damaged is reported with what to do', async (t) => {
      const { cwd, run } = await aFolder(t)
      const path = join(cwd, 'data/partner-credit.db')
      const other = new DatabaseSync(path)
      other.exec('BEGIN IMMEDIATE')
      const locked = complaintOf(await run('partner', 'suspend', 'acme'), 1)
      assert.match(locked, /the ledger cannot be used \(database is locked\): another program .* locked/)
      other.exec('ROLLBACK; PRAGMA wal_checkpoint(TRUNCATE)')
      const { rootpage } = other.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'audit'").get()!
      other.close()
      writePage(path, { page: Number(rootpage), byte: 0xff })
      const damaged = complaintOf(await run('verify'), 1)
      assert.match(damaged, /the ledger cannot be used \(.*\): the file is damaged\. Restore a backup/)
    })

    test('a call without a command prints the help page and exit code 2, --help with exit code 0', async (t) => {
      const cwd = temporaryFolder(t)
      const [nothing, help] = await Promise.all([runCommand([], { cwd }), runCommand(['--help'], { cwd })])
      assert.equal(nothing.code, 2)
      assert.match(nothing.stderr, /^Usage: partner-credit/)
      assert.equal(help.code, 0)
      for (const command of ['serve', 'partner', 'tenant', 'key', 'verify', 'sign', 'doctor'])
        assert.match(help.stdout, new RegExp(`^  ${command} `, 'm'))
    })

    test('the page for operators lists every command', async (t) => {
      const { stdout } = await runCommand(['--help'], { cwd: temporaryFolder(t) })
      const commands = [...stdout.split('Commands:')[1]!.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name)
      const page = readFileSync(join(project, 'docs/operator/running.md'), 'utf8')
      const isListed = (name: string | undefined) => new RegExp(`^\\| \`${name}[ \`]`, 'm').test(page)
      assert.deepEqual(
        commands.filter((name) => name !== 'help' && !isListed(name)),
        [],
      )
    })
  })

  describe('a command that cannot be carried out', () => {
    const impossible: [string[], RegExp][] = [
      [['partner', 'show', 'nobody'], /no partner "nobody": partner list shows them all/],
      [['partner', 'caps', 'acme', '--tenant', 't9', '--per-tx', '1'], /may not use the tenant "t9"/],
      [['partner', 'deny', 'acme', '--tenant', 't9'], /has no tenant "t9"/],
      [['tenant', 'caps', 't9', '--per-user-day', '1'], /no tenant "t9"/],
      [['key', 'revoke', 'key_0'], /no key "key_0"/],
      [['sign', '--body', 'missing.json', '--api-key', 'a', '--signing-secret', 'b'], /missing\.json/],
    ]
    test('prints in one line what to do, exit code 1', async (t) => {
      const { run } = await aFolder(t)
      const results = await Promise.all(impossible.map(([args]) => run(...args)))
      for (const [index, [, expected]] of impossible.entries())
        assert.match(complaintOf(results[index]!, 1), expected)
    })

    test('(a missing ledger) is not created by commands that only read', async (t) => {
      const cwd = temporaryFolder(t)
      for (const args of [['verify'], ['partner', 'list'], ['key', 'create', 'acme']]) {
        const result = await runCommand([...args, '--database-url', 'sqlite:nope/typo.db'], { cwd })
        assert.match(complaintOf(result, 1), /there is no ledger at nope\/typo\.db/)
      }
      assert.deepEqual(readdirSync(cwd), [])
    })

    test('(a .env that is a folder) is named', async (t) => {
      const cwd = temporaryFolder(t)
      mkdirSync(join(cwd, '.env'))
      for (const args of [['serve'], ['verify'], ['sign', '--body', 'award.json']]) {
        const complaint = complaintOf(await runCommand(args, { cwd }), 1)
        assert.match(complaint, /: \.env in the working directory cannot be read: it is a folder\n$/)
      }
    })

    test('(what is not a database) is named, and left as it is', async (t) => {
      const cwd = temporaryFolder(t)
      writeFileSync(join(cwd, 'letter.txt'), 'Dear all, '.repeat(100))
      const result = await runCommand(['verify', '--database-url', 'sqlite:letter.txt'], { cwd })
      assert.match(complaintOf(result, 1), /letter\.txt/)
      assert.equal(readFileSync(join(cwd, 'letter.txt'), 'utf8').length, 1000)
    })
  })

  describe('serve', () => {
    test('lists all wrong settings at once, from the environment, the .env file and flags, and serves nothing', async (t) => {
      const cwd = temporaryFolder(t)
      writeFileSync(join(cwd, '.env'), 'CLOCK_WINDOW_MS=0\nCAP_PER_TX=7\n')
      const environment = { PORT: 'abc', MASTER_KEY: 'short' }
      const { code, stdout, stderr } = await runCommand(['serve', '--cap-per-user-day', '-5'], {
        cwd,
        environment,
      })
      assert.equal(code, 2)
      assert.equal(stdout, '')
      const lines = stderr.trimEnd().split('\n')
      assert.equal(lines[0], 'partner-credit: 4 settings are invalid:')
      for (const name of ['PORT', 'MASTER_KEY', 'CLOCK_WINDOW_MS', 'CAP_PER_USER_DAY'])
        assert.equal(lines.filter((line) => line.startsWith(`  ${name} must be`)).length, 1, name)
      assert.equal(lines.length, 5)
      assert.equal(existsSync(join(cwd, 'data')), false)
    })
  })

  describe('the launcher', () => {
    const systemNode = '/usr/bin/node'
    const isOld =
      existsSync(systemNode) &&
      Number(/^v(\d+)/.exec(execFileSync(systemNode, ['--version'], { encoding: 'utf8' }))![1]) < 24
    // Where there is no older Node, the pinned one stands in: the guarantee is that the launcher runs on both.
    const node = isOld ? systemNode : process.execPath

    test('runs on an older Node, with the same output, errors and exit codes', async (t) => {
      const { cwd, acme } = await aFolder(t)
      const [list, wrong, refused] = await Promise.all([
        runCommand(['key', 'list', 'acme', '--json'], { cwd, node }),
        runCommand(['verfy'], { cwd, node }),
        runCommand(['partner', 'show', 'nobody'], { cwd, node }),
      ])
      assert.equal(documentOf(list)[0].keyId, acme.keyId)
      assert.match(complaintOf(wrong, 2), /Did you mean verify/)
      assert.match(complaintOf(refused, 1), /no partner/)
    })

    test('runs from a folder whose name has a space and a percent sign', async (t) => {
      const folder = join(temporaryFolder(t), 'my shop 100%25')
      mkdirSync(folder)
      for (const part of ['bin', 'src', 'package.json'])
        cpSync(join(project, part), join(folder, part), { recursive: true })
      symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
      const program = join(folder, 'bin/partner-credit.js')
      const args = ['sign', '--tenant', 't1', '--api-key', 'a', '--signing-secret', 'b', '--json']
      const document = documentOf(await runCommand(args, { cwd: folder, node, program }))
      assert.equal(document.headers['X-Api-Key'], 'a')
    })
  })
})
