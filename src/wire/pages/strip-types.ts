import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

// The worker of without-types.ts: receives TypeScript files, posts their JavaScript, and ends.
const files: string[] = workerData
parentPort!.postMessage(files.map((file) => stripTypeScriptTypes(readFileSync(new URL(file), 'utf8'))))
