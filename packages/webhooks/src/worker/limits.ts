/** The bounds of the engine that no option changes. */

/** An exchange, or the room it waits for, is slow from here on: its delivery gets a row, and its event may go. */
export const SLOW_MILLIS = 1_000

/** How often slow ones are looked for, while anything is in flight or waits. */
export const SWEEP_MILLIS = 250

/** Exchanges in flight to a slow endpoint. */
export const SLOW_ENDPOINT_MAX = 4

/** And to one that is not known yet: an endpoint that hangs has so many before it is known to. */
export const NEW_ENDPOINT_MAX = 4

/** Nothing new is sent while so much has ended and is not written: a killed worker's unwritten deliveries are sent again. */
export const UNSETTLED_MAX = 512

/** First attempts that wait in memory for room at their endpoints, in all. */
export const WAITING_MAX = 4_096

/**
 * More events are taken once fewer first attempts wait than the one, for as many as make the other. It takes a few milliseconds
 * to get them, in which 300 are sent at most; and whatever waits longer than it must is copied again and again by the collector
 * of young objects.
 */
export const WAITING_FEW = 384
export const WAITING_ENOUGH = 1_024

/** So many exchanges are begun before whatever else the runtime has to do. */
export const BEGUN_AT_ONCE = 128
