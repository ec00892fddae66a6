/** The OpenID provider does not prove who it is, there is no account for it, or the sign-in was not started here. */
export class NotProved extends Error {}
