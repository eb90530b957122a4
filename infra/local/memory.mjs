/**
 * How the processes of the platform are kept small: Node's threads each allocate from a place of their own unless told
 * otherwise. A smaller space for new objects would save more, and cost the deliveries of a worker a third of their rate.
 */

/** The environment that a process has to be started with. */
export const MEMORY_ENVIRONMENT = { MALLOC_ARENA_MAX: "2" }
