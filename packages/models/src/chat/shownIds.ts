/** The ids by which others than its provider know the calls of an answer. */
import { redactText } from "@agent-platform/runs"

/** Whether an id can be passed on as it is, and be the name of a member. Some providers put a state of theirs into ids. */
const isFit = (id: string): boolean =>
  /^[\w.:-]{1,100}$/.test(id) && !(id in Object.prototype) && redactText(id).text === id

/** The ids of an answer's calls, which are distinct, as others know them, in their order: their own, or `call_1`, `call_2`, …. */
export const shownIds = (ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set(ids.filter(isFit))
  return ids.map((own, place) => {
    if (isFit(own)) return own
    let id = `call_${place + 1}`
    while (taken.has(id)) id += "_"
    taken.add(id)
    return id
  })
}
