/**
 * Of a question whose answer is no: nothing was found, the order was not credited, the new cap would have refused
 * something. 1 stays for what failed, so that a script can tell both apart.
 */
export const answerIsNo = 3
