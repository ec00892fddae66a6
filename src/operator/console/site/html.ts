import htm from 'htm'
import { type ComponentChildren, h, type VNode } from 'preact'

/** Markup as a template. A value in it becomes text, an attribute or an element, never HTML. */
export const html = (htm as unknown as Htm).bind(h)

/** The package's own types describe its other form, which is not the one that is served. */
type Htm = { bind(make: typeof h): (strings: TemplateStringsArray, ...values: unknown[]) => VNode }

export type Content = ComponentChildren
