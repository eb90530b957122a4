/** Tells how fresh a standby is, by positions in the write-ahead log that the primary had at known times. */

/** The end of the primary's log at a time of this process's own clock, in seconds. */
interface Mark {
  readonly at: number
  readonly position: bigint
}

/** Positions of the primary at known times. Holds the marks that were noted within `keepSeconds`. */
export interface ReplicaMarks {
  /** Notes where the primary's log ended at a time. A position lower than the last one drops all marks before it. */
  readonly note: (position: bigint, at: number) => void
  /** The latest time for which a standby that has replayed up to a position has all earlier commits; undefined where none is known. */
  readonly freshAt: (replayed: bigint) => number | undefined
}

/**
 * Makes marks by the clock of this process alone: the clocks of the two servers may differ, and the time of the last replayed commit
 * says nothing about a standby that has lost its primary.
 */
export const makeReplicaMarks = (keepSeconds: number): ReplicaMarks => {
  let marks: ReadonlyArray<Mark> = []
  return {
    note: (position, at) => {
      const last = marks.at(-1)
      // After a failover the log of the new primary may end before what the old one had written.
      const kept = last !== undefined && position < last.position ? [] : marks
      marks = [...kept.filter((mark) => mark.at > at - keepSeconds), { at, position }]
    },
    freshAt: (replayed) => marks.findLast(({ position }) => position <= replayed)?.at
  }
}
