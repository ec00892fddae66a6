import { registerHooks } from 'node:module'
import { plantedBugs } from './bugs.ts'
import { applyEdit } from './edit.ts'

/**
 * `PLANTED_BUG=name node --import ./test/planted/plant.ts …` runs a program with one bug in it: the source of some
 * modules is edited between the disk and the engine, in the process, its threads and its children. Nothing of this
 * is in the service itself. It works for programs: `node --test --test-isolation=none` does not load it, and tests nothing.
 */
const name = process.env.PLANTED_BUG ?? ''
const bug = plantedBugs.find((bug) => bug.name === name)
if (bug === undefined) throw new Error(`there is no planted bug '${name}'`)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const edits = bug.edits.filter(({ file }) => url.endsWith(`/${file}`))
    if (edits.length === 0) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    return { ...loaded, source: edits.reduce(applyEdit, source) }
  },
})
