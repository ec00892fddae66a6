/** As an import every export of it would be read, and one of them loads an HTTP client: 70 ms of each start. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
