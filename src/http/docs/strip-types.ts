import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

// A worker's whole life: TypeScript files in, their JavaScript out. See browser-scripts.ts.
const files: string[] = workerData
parentPort!.postMessage(files.map((file) => stripTypeScriptTypes(readFileSync(new URL(file), 'utf8'))))
