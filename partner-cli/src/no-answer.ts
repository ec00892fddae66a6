/**
 * The command could not be carried out, because it was called wrongly or a setting or a file is wrong.
 * The exit code is 2, so that a script never takes it for "the lists differ".
 */
export class NoAnswer extends Error {}
