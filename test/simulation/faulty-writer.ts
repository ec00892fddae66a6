import { workerData } from 'node:worker_threads'
import { breakSqlite } from './sqlite-faults.ts'

/** The writer's thread with a SQLite that can be made to fail; the rest is the real writer. */
export type FaultyWriterData = { faults: Int32Array; fsync: boolean; writer: string }

const { faults, fsync, writer } = workerData as FaultyWriterData
breakSqlite(faults, { fsync })
await import(writer)
