/** The faults that an answer finds in single boxes of a form: each is shown below its box. */
import { createContext, useContext, useLayoutEffect } from "react"
import { faultAt } from "../api/problems.ts"

interface FormFaults {
  /** Why what was written was not taken. */
  readonly error: unknown
  /** The members of the body that have a box in the form: each box adds its own while it is there. */
  readonly members: Set<string>
}

export const FormFaultsContext = createContext<FormFaults | undefined>(undefined)

/** A member of the body, such as `name` or `rate_limit/limit`; some boxes write several. */
export type Member = string | ReadonlyArray<string>

/** The faults of the members that a box writes, as one text; undefined where there are none. A single member is called by the box's label. */
export const useFault = (member: Member = [], label: string): string | undefined => {
  const form = useContext(FormFaultsContext)
  const members = form?.members
  const written = [member].flat()
  // The members as text: the effect below would take equal ones in a new array for others.
  const key = JSON.stringify(written)
  useLayoutEffect(() => {
    const own: ReadonlyArray<string> = JSON.parse(key)
    for (const one of own) members?.add(one)
    return () => {
      for (const one of own) members?.delete(one)
    }
  }, [key, members])
  const faults = written.flatMap(
    (one) => faultAt(form?.error, one, typeof member === "string" ? label : undefined) ?? []
  )
  return faults.length === 0 ? undefined : faults.join("; ")
}
