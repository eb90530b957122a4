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

/** The fault of the member of the body that a box writes, where it writes one in a form. */
export const useFault = (member: string | undefined): string | undefined => {
  const form = useContext(FormFaultsContext)
  const members = form?.members
  useLayoutEffect(() => {
    if (member === undefined) return
    members?.add(member)
    return () => {
      members?.delete(member)
    }
  }, [member, members])
  return form === undefined || member === undefined ? undefined : faultAt(form.error, member)
}
