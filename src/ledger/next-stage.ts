/**
 * Await this between two stages of a request: all other requests of the turn complete the stage first. It continues in
 * a microtask, in the order in which the requests came to it. Group commit takes its batch behind it, so that the awards
 * of one turn share a commit. wire/turns.ts starts the requests of a turn.
 */
export const nextStage = Promise.resolve()
