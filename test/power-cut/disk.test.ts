import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../support/seeded-random.ts'
import { Disk, type Image } from './disk.ts'
import type { Operation } from './write-log.ts'

const create = (path: string): Operation => ({ kind: 'create', path })
const write = (text: string, offset = 0, path = '/d/a'): Operation => ({
  kind: 'write',
  path,
  offset,
  data: Buffer.from(text),
})
const syncing = (path: string, thread = 1): Operation => ({ kind: 'syncing', path, thread })
const synced = (path: string, thread = 1): Operation => ({ kind: 'sync', path, thread })
const sync = (path: string): Operation[] => [syncing(path), synced(path)]

function diskAfter(...operations: Operation[]): Disk {
  const disk = new Disk()
  for (const operation of operations) disk.apply(operation)
  return disk
}

const textOf = (image: Image) => Object.fromEntries([...image].map(([path, bytes]) => [path, String(bytes)]))

test('only what was synced is sure: the bytes with their file, the name with its folder', () => {
  const disk = diskAfter(create('/d/a'), write('one'), ...sync('/d/a'))
  assert.deepEqual(textOf(disk.kept()), { '/d/a': 'one' })
  assert.deepEqual(textOf(disk.lost()), {}, 'it has no name yet')
  for (const operation of [...sync('/d'), write('two')]) disk.apply(operation)
  assert.deepEqual(textOf(disk.kept()), { '/d/a': 'two' })
  assert.deepEqual(textOf(disk.lost()), { '/d/a': 'one' })
})

test('a sync is good for what came before it began, and only when it has ended', () => {
  const disk = diskAfter(create('/d/a'), ...sync('/d'), write('one'), syncing('/d/a'), write('two'))
  assert.deepEqual(textOf(disk.lost()), { '/d/a': '' })
  disk.apply(synced('/d/a'))
  assert.deepEqual(textOf(disk.lost()), { '/d/a': 'one' })
})

test('a removed name comes back with its bytes, until its folder is synced', () => {
  const disk = diskAfter(create('/d/a'), write('one'), ...sync('/d/a'), ...sync('/d'))
  for (const operation of [{ kind: 'unlink', path: '/d/a' } as const, create('/d/a'), write('two')])
    disk.apply(operation)
  assert.deepEqual(textOf(disk.lost()), { '/d/a': 'one' })
  for (const operation of sync('/d')) disk.apply(operation)
  assert.deepEqual(textOf(disk.lost()), { '/d/a': '' })
})

test('a second name for a file is a name like any other', () => {
  const disk = diskAfter(create('/d/a'), write('one'), ...sync('/d/a'), ...sync('/d'))
  disk.apply({ kind: 'link', path: '/d/a', to: '/d/b' })
  assert.deepEqual(textOf(disk.kept()), { '/d/a': 'one', '/d/b': 'one' })
  assert.deepEqual(textOf(disk.lost()), { '/d/a': 'one' })
})

test('a file is lost with a folder whose own name was not synced', () => {
  const disk = diskAfter({ kind: 'mkdir', path: '/d' }, create('/d/a'), ...sync('/d'))
  assert.deepEqual(textOf(disk.lost()), {})
  for (const operation of sync('/')) disk.apply(operation)
  assert.deepEqual(textOf(disk.lost()), { '/d/a': '' })
})

test('torn: each sector is as it was synced or as it was written later, and every mixture comes up', () => {
  const disk = diskAfter(create('/d/a'), write('aaaabbbb'), ...sync('/d/a'), ...sync('/d'))
  for (const operation of [write('ccc', 2), write('dd', 4)]) disk.apply(operation)
  const random = randomFrom(1)
  const seen = new Set(Array.from({ length: 400 }, () => String(disk.torn(random, 4).get('/d/a'))))
  assert.deepEqual([...seen].sort(), ['aaaabbbb', 'aaaacbbb', 'aaaaddbb', 'aaccbbbb', 'aacccbbb', 'aaccddbb'])
})

test('torn: a file that shrank or grew has its old size or its new one, and zeros or rubbish for bytes', () => {
  const disk = diskAfter(create('/d/a'), write('aaaa'), ...sync('/d/a'), ...sync('/d'))
  for (const operation of [{ kind: 'truncate', path: '/d/a', size: 1 } as const, write('bbbb', 4)])
    disk.apply(operation)
  const random = randomFrom(1)
  const seen = Array.from({ length: 400 }, () => disk.torn(random, 4).get('/d/a')!.toString('latin1'))
  for (const text of ['aaaa', 'a', 'aaaabbbb', 'a\0\0\0bbbb', 'aaaa\0\0\0\0'])
    assert.ok(seen.includes(text), text)
  assert.ok(
    seen.some((text) => /^a[^\0a]..bbbb$/s.test(text)),
    'rubbish',
  )
  assert.equal(String(disk.kept().get('/d/a')), 'a\0\0\0bbbb')
})
