/** An operator's request that is refused. Nothing was changed; the message says what to do. */
export class Refused extends Error {}
