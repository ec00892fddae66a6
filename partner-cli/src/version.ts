/** That of package.json, which is in another place relative to the compiled code. A test compares the two. */
export const version = '0.3.0'
