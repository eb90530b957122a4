/**
 * How the processes of the platform are kept small: under load the API took 350 MB without these and takes 220 with them.
 * What Node has compiled it keeps by its flags, so whoever fills that cache is started with them, too.
 * Node's threads each allocate from a place of their own unless told otherwise, and new objects get more room than it pays.
 */

/** The environment that a process has to be started with. */
export const MEMORY_ENVIRONMENT = { MALLOC_ARENA_MAX: "2" }

/** What Node has to be started with. */
export const MEMORY_FLAGS = ["--max-semi-space-size=8"]
