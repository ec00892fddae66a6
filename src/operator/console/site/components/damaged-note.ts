import { stored } from './mark.ts'
import { note } from './note.ts'

/** For a row that was changed from outside: the list shows the others. */
export function damagedNote(kind: 'partner' | 'tenant', id: string, problem: string) {
  return note({ kind: 'error', title: ['The ', kind, ' ', stored(id), ' is damaged.'] }, stored(problem))
}
