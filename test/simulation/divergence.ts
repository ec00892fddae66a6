/** The service and the model do not agree. */
export class Divergence extends Error {}
