import { strict as assert } from 'node:assert'
import { registerHooks } from 'node:module'

// The control: loaded with --import into a real server, it turns the one setting that makes a commit durable into the
// one that many programs use, and the check of it too. Nothing else differs, and no file is changed.
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/src/stores/sqlite/database.ts')) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    const edited = source
      .replace('PRAGMA synchronous = FULL', 'PRAGMA synchronous = NORMAL')
      .replace("'synchronous', 2", "'synchronous', 1")
    assert.equal(edited.length, source.length + 2, 'the two places that set and check it were found')
    return { ...loaded, source: edited }
  },
})
