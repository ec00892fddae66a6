/** An element made of text and other elements: text is never read as HTML. */
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
