import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { aMasterKey, anOperator } from '../../test/support/operators.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import {
  keyFileProblem,
  fileMasterKey,
  masterKeyFromFile,
  parseMasterKey,
  proveMasterKey,
  WrongMasterKey,
} from './master-key.ts'

const otherKey = aMasterKey.map((byte) => byte ^ 1)

test('a master key is 32 bytes in base64', () => {
  const text = Buffer.from(aMasterKey).toString('base64')
  assert.deepEqual(parseMasterKey(text), Buffer.from(aMasterKey))
  assert.deepEqual(parseMasterKey(` ${text}\n`), Buffer.from(aMasterKey))
})

test('anything else is not a master key, however leniently a decoder would read it', () => {
  const text = Buffer.from(aMasterKey).toString('base64')
  const forms = [
    '',
    'short',
    text.slice(0, -1),
    text.slice(0, -4),
    `${text}AAAA`,
    `${text}!`,
    text.replace('A', '!A'),
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
    Buffer.alloc(32, 0xff).toString('base64url'),
    Buffer.from(aMasterKey).toString('hex'),
    // The last character has bits to spare: another spelling of the same 32 bytes.
    `${text.slice(0, -2)}9=`,
  ]
  for (const form of forms) assert.equal(parseMasterKey(form), null, form)
})

test('the file is made once, in a folder that need not exist, for its owner only, and leaves no draft', (t) => {
  const path = join(temporaryFolder(t), 'data', 'deeper', 'master.key')
  const key = masterKeyFromFile(path)
  assert.equal(key.length, 32)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const text = readFileSync(path, 'utf8')
  assert.deepEqual(parseMasterKey(text.trim()), key)

  assert.deepEqual(masterKeyFromFile(path), key)
  assert.equal(readFileSync(path, 'utf8'), text)
  assert.deepEqual(readdirSync(join(path, '..')), ['master.key'])
})

test('two files hold two keys', (t) => {
  const folder = temporaryFolder(t)
  assert.notDeepEqual(masterKeyFromFile(join(folder, 'a')), masterKeyFromFile(join(folder, 'b')))
})

test('makers at once, each in a process of its own, agree on one key', async (t) => {
  const path = join(temporaryFolder(t), 'master.key')
  const module = new URL('./master-key.ts', import.meta.url).href
  // Both wait for the same moment, so that they meet.
  const script = `
    const { masterKeyFromFile } = await import(${JSON.stringify(module)})
    process.stdout.write('ready\\n')
    process.stdin.once('data', () => {
      console.log(Buffer.from(masterKeyFromFile(${JSON.stringify(path)})).toString('base64'))
      process.exit()
    })`
  const makers = [1, 2].map(() => {
    const running = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    const ready = new Promise((resolve) => running.child.stdout!.once('data', resolve))
    return { running, ready }
  })
  await Promise.all(makers.map(({ ready }) => ready))
  for (const { running } of makers) running.child.stdin!.write('go')
  const keys = await Promise.all(makers.map(async ({ running }) => (await running).stdout.split('\n')[1]))
  assert.equal(keys[0], keys[1])
  assert.equal(readFileSync(path, 'utf8').trim(), keys[0])
})

for (const [damage, text] of [
  ['empty', ''],
  ['cut off', 'AAECAwQFBgcICQ'],
  ['something else', 'not a key at all'],
  [
    'two keys',
    `${Buffer.from(aMasterKey).toString('base64')}\n${Buffer.from(otherKey).toString('base64')}\n`,
  ],
] as const) {
  test(`a key file that is ${damage} is refused, named and left as it is`, (t) => {
    const path = join(temporaryFolder(t), 'master.key')
    writeFileSync(path, text, { mode: 0o600 })
    assert.throws(() => masterKeyFromFile(path), {
      constructor: WrongMasterKey,
      message: /master\.key does not hold/,
    })
    assert.equal(readFileSync(path, 'utf8'), text)
  })
}

for (const mode of [0o640, 0o604, 0o644, 0o620, 0o602, 0o601, 0o666]) {
  test(`a key file that others may open (mode ${mode.toString(8)}) is refused with advice, and taken when they may not`, (t) => {
    const path = join(temporaryFolder(t), 'master.key')
    const key = masterKeyFromFile(path)
    chmodSync(path, mode)
    assert.throws(() => masterKeyFromFile(path), {
      constructor: WrongMasterKey,
      message: /master\.key can be read or changed by other users \(mode 6\d\d\): run chmod 600/,
    })
    chmodSync(path, 0o400)
    assert.deepEqual(masterKeyFromFile(path), key)
  })
}

test('a key file of another user is refused, but root trusts and is trusted', () => {
  const faults = [
    [1000, 1000],
    [0, 1000],
    [1001, 0],
    [1001, 1000],
  ].map(([uid, us]) => keyFileProblem({ mode: 0o100600, uid: uid! }, us!))
  assert.deepEqual(faults.slice(0, 3), [null, null, null])
  assert.match(faults[3]!, /belongs to another user \(1001, and this is 1000\)/)
})

test('a key file that cannot be made is an error of the disk, not another key', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'file'), '')
  assert.throws(() => masterKeyFromFile(join(folder, 'file', 'master.key')))
})

test('a key whose draft cannot be written is an error, and nothing is left', (t) => {
  const folder = temporaryFolder(t)
  // The name is short enough for a file, and its draft's is not.
  const path = join(folder, 'k'.repeat(250))
  assert.throws(() => masterKeyFromFile(path), { code: 'ENAMETOOLONG' })
  assert.deepEqual(readdirSync(folder), [])
})

test('a folder where the key should be is named', (t) => {
  const path = join(temporaryFolder(t), 'master.key')
  mkdirSync(path)
  assert.throws(() => masterKeyFromFile(path), /master\.key is not a file: restore the key/)
})

test('a database keeps to the master key it was first opened with', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  await proveMasterKey(anOperator(t, path).store, aMasterKey)
  await proveMasterKey(anOperator(t, path).store, aMasterKey)
  await assert.rejects(proveMasterKey(anOperator(t, path).store, otherKey), {
    constructor: WrongMasterKey,
    message: /MASTER_KEY/,
  })
  await proveMasterKey(anOperator(t, path).store, aMasterKey)
})

test('a new ledger gets a key file; one whose key file is gone is refused, and no other key is put in its place', async (t) => {
  const folder = temporaryFolder(t)
  const keyFile = join(folder, 'master.key')
  const { store } = anOperator(t, join(folder, 'ledger.db'))
  const key = await fileMasterKey(store, keyFile)
  await proveMasterKey(store, key)
  assert.deepEqual(await fileMasterKey(store, keyFile), key)

  rmSync(keyFile)
  await assert.rejects(fileMasterKey(store, keyFile), { constructor: WrongMasterKey, message: /is missing/ })
  assert.equal(existsSync(keyFile), false)
})

test('a link to nowhere in the place of the key is an error, and left as it is', (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'master.key')
  symlinkSync(join(folder, 'nowhere'), path)
  assert.throws(() => masterKeyFromFile(path), { code: 'ENOENT' })
  assert.deepEqual(readdirSync(folder), ['master.key'])
})
