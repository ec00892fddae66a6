const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Text of somebody else inside a plain text: where it could turn around what follows it, it is isolated by Unicode's marks. */
export function isolated(text: string): string {
  return directionMarks.test(text) ? `\u2068${text}\u2069` : text
}
