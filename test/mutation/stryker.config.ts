import { tmpdir } from 'node:os'
import { join } from 'node:path'

const scratch = join(tmpdir(), 'partner-credit-mutation')

/**
 * Every rule is broken in every way Stryker knows, one at a time; a test must notice. `npm run mutation` fetches it at
 * a pinned version instead of everyone's `npm install`: it is 185 packages, and used now and then.
 */
export default {
  mutate: ['src/rules/*.ts', 'src/shortcuts/field-digest.ts', '!src/rules/*.test.ts'],
  testRunner: 'tap',
  tap: {
    testFiles: ['src/rules/*.test.ts', 'src/shortcuts/field-digest.test.ts'],
    nodeArgs: ['--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'],
  },
  // A mutant runs only the test files that reach it.
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // On a busy machine a mutant may be slow without an endless loop; those are mostly found by counting.
  timeoutMS: 60_000,
  // The sandbox is outside the tree, so that nothing that reads the whole tree finds it.
  tempDirName: scratch,
  ignorePatterns: ['bench', 'data', 'docs', 'tsconfig.json'],
  reporters: ['clear-text', 'progress', 'json'],
  jsonReporter: { fileName: join(scratch, 'mutation.json') },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { high: 95, low: 90, break: 90 },
}
