/** Joins all values of the same key, in the order in which keys first come. */
export const joinByKey = <A, B>(
  all: ReadonlyArray<A>,
  keyOf: (one: A) => string,
  join: (made: B | undefined, one: A) => B
): ReadonlyArray<B> => {
  const groups = new Map<string, B>()
  for (const one of all) {
    const key = keyOf(one)
    groups.set(key, join(groups.get(key), one))
  }
  return [...groups.values()]
}
