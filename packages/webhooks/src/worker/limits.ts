/** The bounds of the engine that no option changes. */

/** A request that takes or waits longer is slow: its delivery gets a row, and its event may leave the outbox. */
export const SLOW_MILLIS = 1_000

/** How often slow requests are looked for, while anything is in flight or waits. */
export const SWEEP_MILLIS = 250

/** Requests in flight to a slow endpoint. */
export const SLOW_ENDPOINT_MAX = 4

/** Requests in flight to an endpoint that is not known yet: one that hangs gets no more before that shows. */
export const NEW_ENDPOINT_MAX = 4

/** The number of unwritten settlements at which nothing new is sent: what a killed worker had not written is sent again. */
export const UNSETTLED_MAX = 512

/** First attempts that wait in memory in their endpoints' queues, in all. */
export const WAITING_MAX = 4_096

/**
 * Events are taken once fewer than `WAITING_FEW` first attempts wait, and so many that `WAITING_ENOUGH` wait then. It takes a few
 * milliseconds to get them, in which 300 are sent at most. More would be copied again and again by the garbage collector while they wait.
 */
export const WAITING_FEW = 384
export const WAITING_ENOUGH = 1_024

/** How many requests are begun before other work of the runtime has its turn. */
export const BEGUN_AT_ONCE = 128
