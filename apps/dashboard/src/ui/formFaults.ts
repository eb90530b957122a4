/** The faults that an answer finds in single boxes of a form: each is shown below its box. */
import { createContext, useContext, useLayoutEffect } from "react"
import { faultAt } from "../api/problems.ts"

interface FormFaults {
  /** Why what was written was not taken. */
  readonly error: unknown
  /** The members of the body that have a box in the form. */
  readonly members: Set<string>
}

export const FormFaultsContext = createContext<FormFaults | undefined>(undefined)

/** A member of the body, such as `name` or `rate_limit/limit`; some boxes write several. */
export type Member = string | ReadonlyArray<string>

/** The fault of what a box writes, where it writes something in a form. A box of one member calls that as its label does. */
export const useFault = (member: Member = [], label: string): string | undefined => {
  const form = useContext(FormFaultsContext)
  const members = form?.members
  const written = [member].flat()
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
