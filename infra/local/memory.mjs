/**
 * How the processes of the platform are kept small. New objects get more room than it pays, unless Node is told otherwise.
 * The old ones are looked through when they have become so many times what was left of them the last time: up to 4 times on a
 * large machine, and up to 1.6 times where 1 GB is all that they may take. The threads of Node each allocate from a place of
 * their own, and glibc holds back what the compilers of V8 have let go of: the API took 45 MB more. A process that is left alone
 * for some seconds is looked through without need, and what V8 had compiled is lost by it: the requests that come next take
 * up to twice as long, for seconds. What Node has compiled it keeps by its flags, so whoever fills that cache is started with them,
 * too.
 */

/** The environment that a process has to be started with. */
export const MEMORY_ENVIRONMENT = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "16384",
  MALLOC_TRIM_THRESHOLD_: "65536"
}

/** What Node has to be started with, whatever it runs. */
export const MEMORY_FLAGS = ["--max-semi-space-size=8", "--max-old-space-size=1024", "--no-memory-reducer"]

/**
 * What a worker's Node is started with after that: of two flags Node takes the later. What a worker has in hand outlives some
 * collections of so small a space, and each of them copies it again; and its way goes through more of Node's code than a
 * processor remembers small pages of (docs/decisions/0031-worker-memory.md).
 */
export const WORKER_FLAGS = ["--max-semi-space-size=16", "--use-largepages=silent"]

/** What Node has to be started with for one of the apps: `api`, `worker` or `admin`. */
export const flagsOf = (app) => (app === "worker" ? [...MEMORY_FLAGS, ...WORKER_FLAGS] : MEMORY_FLAGS)
