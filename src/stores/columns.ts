/**
 * A list of columns under the field names of our objects: `order_id AS "orderId"`. So rows need no copying field by
 * field.
 */
export function columns<T>(...fields: (keyof T & string)[]): string {
  return fields.map((field) => `${columnOf(field)} AS "${field}"`).join(', ')
}

export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
