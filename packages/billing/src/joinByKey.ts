/** Joins all values of the same key into one, in the order in which keys first come. `made` is what the earlier values of the key gave. */
export const joinByKey = <Value, Joined>(
  all: ReadonlyArray<Value>,
  keyOf: (one: Value) => string,
  join: (made: Joined | undefined, one: Value) => Joined
): ReadonlyArray<Joined> => {
  const groups = new Map<string, Joined>()
  for (const one of all) {
    const key = keyOf(one)
    groups.set(key, join(groups.get(key), one))
  }
  return [...groups.values()]
}
