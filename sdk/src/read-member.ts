import { isObject } from './errors.ts'
import type { RuleFault } from './rule-fault.ts'

export type Members = Record<string, unknown>

/** The body has the code, but not the members that the contract promises: another service or another version. */
export class MemberMissing extends Error {}

export function number(value: unknown): number {
  return typeof value === 'number' ? value : missing()
}

export function string(value: unknown): string {
  return typeof value === 'string' ? value : missing()
}

/** No award is below 1 EP. */
export function isPoints(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

export function oneOf<T extends string>(value: unknown, values: readonly T[]): T {
  return values.find((one) => one === value) ?? missing()
}

export function list<T>(value: unknown, read: (element: unknown) => T): T[] {
  return Array.isArray(value) ? value.map(read) : missing()
}

/** Empty if it is absent. */
export function optionalList<T>(value: unknown, read: (element: unknown) => T): T[] {
  return optional(value, (present) => list(present, read)) ?? []
}

export function optional<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === undefined ? null : read(value)
}

export function ruleFault(value: unknown): RuleFault {
  return isRuleFault(value) ? value : missing()
}

function isRuleFault(value: unknown): value is RuleFault {
  if (!isObject(value) || typeof value.detail !== 'string') return false
  return [value.pointer, value.parameter].every((place) => place === undefined || typeof place === 'string')
}

function missing(): never {
  throw new MemberMissing()
}
