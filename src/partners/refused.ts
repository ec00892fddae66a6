/** An operator's request that cannot be carried out as asked; the message says what to do. Nothing was changed. */
export class Refused extends Error {}
