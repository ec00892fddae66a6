import { testShortForms } from './short-forms.ts'

/** Alone, so that npm test has one scenario; the others run in npm run test-more. */
testShortForms({ kill: { cycles: 2 } })
