/** The pages of the docs, without the page that each error code has. */
export const docsPages = [
  '/docs',
  '/docs/reference',
  '/docs/libraries',
  '/docs/libraries/sdk',
  '/docs/libraries/cli',
  '/docs/signature',
  '/docs/errors',
]
