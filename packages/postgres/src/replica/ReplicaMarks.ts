/** How fresh a standby is, by positions in the write-ahead log that the primary had at known times. */

/** Where the primary's log ended at a time of this process's own clock, in seconds. */
interface Mark {
  readonly at: number
  readonly position: bigint
}

/** Says since when a standby may have missed something. Holds no more marks than were noted within `keepSeconds`. */
export interface ReplicaMarks {
  /** Notes where the primary's log ended when it was asked at that time. Positions that go back begin anew. */
  readonly note: (position: bigint, at: number) => void
  /** The latest time before which a standby that has replayed so far has missed nothing; undefined where none is known. */
  readonly freshAt: (replayed: bigint) => number | undefined
}

/**
 * Marks by the clock of this process alone: those of the two servers may differ, and the time of the last replayed commit says
 * nothing about a standby that has lost its primary.
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
