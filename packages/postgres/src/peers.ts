/** How processes tell each other which work they do, by topics among their signals. */

const HERE = "here: "
const GONE = "gone: "

/** A process says so often that it is here, and counts as gone after so long without a word. */
export const HERE_SECONDS = 5
const GONE_SECONDS = 16

export const isHere = (work: string): string => HERE + work
export const isGone = (work: string): string => GONE + work

/**
 * The other processes that do each kind of work, as far as they have been heard of. `now` is a clock in milliseconds, and `isDone` says
 * whether this process does some work: nobody counts those of any other.
 */
export const makePeerList = (now: () => number, isDone: (work: string) => boolean) => {
  /** By work and by process, when it counts as gone. */
  const peers = new Map<string, Map<string, number>>()
  return {
    /** Takes note of a topic by which a process tells of itself; false for any other. */
    heard: (raiser: string, topic: string): boolean => {
      const kind = [HERE, GONE].find((one) => topic.startsWith(one))
      if (kind === undefined) return false
      const work = topic.slice(kind.length)
      if (!isDone(work)) return true
      const others = peers.get(work) ?? new Map<string, number>()
      peers.set(work, others)
      if (kind === HERE) others.set(raiser, now() + GONE_SECONDS * 1000)
      else others.delete(raiser)
      return true
    },
    /** How many others do this work. */
    count: (work: string): number => {
      const others = peers.get(work) ?? new Map<string, number>()
      for (const [raiser, goneAt] of others) if (goneAt < now()) others.delete(raiser)
      return others.size
    }
  }
}
