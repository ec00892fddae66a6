import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isPermission, isRole, permissionNames, permissionsOf, roleNames, roleWith } from './permissions.ts'

test('each role may do all that the one before it may, and an admin everything', () => {
  const [viewer, support, admin] = roleNames.map(permissionsOf)
  assert.ok(viewer!.isSubsetOf(support!) && support!.isSubsetOf(admin!))
  assert.deepEqual([...admin!], permissionNames)
})

test('a viewer sees no person, and changes nothing', () => {
  const viewer = [...permissionsOf('viewer')]
  assert.ok(viewer.every((name) => name.endsWith('.read')))
  assert.ok(!viewer.includes('personal.read') && !viewer.includes('operators.read'))
})

test('the role to ask for is the least that has the permission', () => {
  assert.equal(roleWith('figures.read'), 'viewer')
  assert.equal(roleWith('personal.read'), 'support')
  assert.equal(roleWith('keys.write'), 'admin')
})

test('names that objects inherit are neither roles nor permissions', () => {
  assert.ok(!isRole('constructor') && !isPermission('toString'))
  assert.ok(isRole('viewer') && isPermission('keys.write'))
})

test('the docs have a row for each permission, with the roles that have it', () => {
  const page = readFileSync('docs/operator/console.md', 'utf8')
  const rows = page.match(/^\| `\w[\w.-]*\.(read|write|start|suspend)` \|.*$/gm)!
  assert.deepEqual(
    rows.map((row) => {
      const [name, ...has] = row.split('|').slice(1, 2 + roleNames.length)
      return [name!.trim().slice(1, -1), ...has.map((cell) => cell.trim() === 'yes')]
    }),
    permissionNames.map((name) => [name, ...roleNames.map((role) => permissionsOf(role).has(name))]),
  )
})
