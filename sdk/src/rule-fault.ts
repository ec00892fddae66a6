// Made from the catalog of errors by `npm run contract`. Do not edit.

/** A broken rule: its place in the award or in the query, and what is wrong. */
export type RuleFault = {
  /** JSON Pointer to the place in the body; empty for the body as a whole. */
  pointer?: string
  /** Name of the query parameter. */
  parameter?: string
  /** What is wrong, for people. */
  detail: string
}
