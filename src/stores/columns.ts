/**
 * A list of columns under the names of our own objects: `order_id AS "orderId"`. So a row is read as what it is, and
 * nobody copies fields by hand.
 */
export function columns<T>(...fields: (keyof T & string)[]): string {
  return fields.map((field) => `${columnOf(field)} AS "${field}"`).join(', ')
}

export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
