/** Creates an element from text and other elements. Text is never parsed as HTML. */
export function element(
  name: string,
  attributes: Record<string, string> = {},
  ...content: (string | HTMLElement)[]
): HTMLElement {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.append(...content)
  return made
}
