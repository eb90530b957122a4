/** For how long a process has shown life without a gap. */
export interface Vigil {
  /** Life was shown just now. */
  readonly shown: () => void
  /** Whether it was for as long as a gap may be, up to a moment ago. */
  readonly isKept: () => boolean
}

/** A vigil in which nothing was shown yet. `now` is in seconds, and never goes back; a gap is longer than `gapSeconds`. */
export const makeVigil = (now: () => number, gapSeconds: number): Vigil => {
  let since = Number.POSITIVE_INFINITY
  let until = Number.NEGATIVE_INFINITY
  return {
    shown: () => {
      const at = now()
      if (at - until > gapSeconds) since = at
      until = at
    },
    isKept: () => now() - until <= gapSeconds && now() - since >= gapSeconds
  }
}
