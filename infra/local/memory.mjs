/**
 * How the processes of the platform keep their memory small (docs/decisions/0024-what-a-request-leaves-behind.md). All are
 * started with the same flags, the one that fills the compile cache included, since Node keeps what it compiles by them.
 */

/** One arena, and memory given back early: glibc would hold back what the compilers of V8 have let go of. */
export const MEMORY_ENVIRONMENT = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "16384",
  MALLOC_TRIM_THRESHOLD_: "65536"
}

/** Node's flags for every process; sizes are in MiB. */
export const MEMORY_FLAGS = [
  "--max-semi-space-size=8",
  "--max-old-space-size=1024",
  // A quiet process would lose what V8 has compiled, and its next requests would take twice as long.
  "--no-memory-reducer",
  // V8 would put a request's objects among the old ones, judged by those that live for good while an app is built.
  "--no-allocation-site-pretenuring"
]

/** Behind those for a worker, where Node takes the later flag: what a worker has in hand outlives collections of a smaller space. */
export const WORKER_FLAGS = ["--max-semi-space-size=16"]

/** Node's flags for one of the apps: `api`, `worker` or `admin`. */
export const flagsOf = (app) => (app === "worker" ? [...MEMORY_FLAGS, ...WORKER_FLAGS] : MEMORY_FLAGS)
