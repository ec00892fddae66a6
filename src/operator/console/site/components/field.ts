import { type Content, html } from '../html.ts'

type FieldProps = {
  label: Content
  /** The id of the control. */
  id: string
  hint?: Content
  error?: Content
}

/** A label, its control, and under it a hint or what is wrong. The control names `describedBy(id)`. */
export function field({ label, id, hint, error }: FieldProps, control: Content) {
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${control}
    ${
      error
        ? html`<p class="hint wrong" id=${describedBy(id)} role="alert">${error}</p>`
        : hint !== undefined && html`<p class="hint" id=${describedBy(id)}>${hint}</p>`
    }
  </div>`
}

export function describedBy(id: string): string {
  return `${id}-hint`
}

type TextFieldProps = FieldProps & {
  value: string
  onInput(value: string): void
  isLong?: boolean
  isRequired?: boolean
  placeholder?: string
  /** Everything else of the input element. */
  attributes?: Record<string, unknown>
}

/** A field whose control is one line of text, or several. */
export function textField({
  value,
  onInput,
  isLong,
  isRequired,
  placeholder,
  attributes,
  ...props
}: TextFieldProps) {
  const { id, hint, error } = props
  const shared = {
    id,
    value,
    placeholder,
    required: isRequired,
    'aria-invalid': error ? 'true' : undefined,
    'aria-describedby': error || hint !== undefined ? describedBy(id) : undefined,
    onInput: (event: Event) => onInput((event.target as HTMLInputElement).value),
    ...attributes,
  }
  return field(props, isLong ? html`<textarea ...${shared}></textarea>` : html`<input ...${shared} />`)
}

/** A field whose control is a list. */
export function selectField({
  value,
  onChange,
  options,
  ...props
}: FieldProps & {
  value: string
  onChange(value: string): void
  options: { value: string; name: string }[]
}) {
  return field(
    props,
    html`<select
      id=${props.id}
      value=${value}
      onChange=${(event: Event) => onChange((event.target as HTMLSelectElement).value)}
    >
      ${options.map((option) => html`<option key=${option.value} value=${option.value}>${option.name}</option>`)}
    </select>`,
  )
}

/** A filter: everything, one of a list, or what a link names, also if the list does not have it. */
export function choiceField({
  list,
  all = 'All',
  ...props
}: {
  id: string
  label: string
  value: string
  onChange(value: string): void
  list: { value: string; name: string }[]
  all?: string
}) {
  const { value } = props
  const more = value === '' || list.some((one) => one.value === value) ? [] : [{ value, name: value }]
  return selectField({ ...props, options: [{ value: '', name: all }, ...list, ...more] })
}

/** The row of filters above a list. Each filter is a field. */
export function filters(...fields: Content[]) {
  return html`<div class="filters">${fields}</div>`
}

/** A choice between a few views, each with its own URL. */
export function segmented(label: string, choices: { name: string; href: string; isCurrent: boolean }[]) {
  return html`<nav class="seg" aria-label=${label}>
    ${choices.map(
      ({ name, href, isCurrent }) =>
        html`<a key=${name} href=${href} aria-current=${isCurrent ? 'true' : undefined}>${name}</a>`,
    )}
  </nav>`
}
