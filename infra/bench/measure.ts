/** The common part of the measurements. */

/** Does something `total` times, never more than `callers` at once, and answers the seconds that it took. */
export const loadOf = async (
  total: number,
  callers: number,
  act: (number: number) => Promise<unknown>
): Promise<number> => {
  const begun = performance.now()
  let next = 0
  const caller = async () => {
    while (next < total) await act(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return (performance.now() - begun) / 1000
}

/** Does something `perSecond` times a second for so long, without waiting for what it began before. */
export const paced = async (perSecond: number, seconds: number, act: () => Promise<unknown>): Promise<void> => {
  const begun = performance.now()
  const underWay: Array<Promise<unknown>> = []
  for (let number = 0; number < perSecond * seconds; number++) {
    const due = begun + (number * 1000) / perSecond
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
    underWay.push(act())
  }
  await Promise.all(underWay)
}

/** The value that this share of all values stays below. */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  [...values].sort((one, two) => one - two)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN
