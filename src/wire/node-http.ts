/** An `import` would evaluate every export of node:http, and one of them loads an HTTP client: 70 ms per start. */
export const { createServer, IncomingMessage, STATUS_CODES } = process.getBuiltinModule('node:http')
