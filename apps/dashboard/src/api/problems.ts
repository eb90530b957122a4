/** The one place where a failure becomes words. */
import { ApiProblem, Unanswered } from "@agent-platform/client"

/** A failure as a person reads it. */
export interface Failure {
  readonly title: string
  readonly detail: string
  /** The single faults of what was sent. */
  readonly faults: ReadonlyArray<string>
  /** To quote when it is reported. */
  readonly requestId: string | undefined
  /** The page about this kind of problem. */
  readonly help: string | undefined
}

/** A fault after its place, as in `mcp_servers › 0 › url must be …`. Pointers begin with `/` in a body, with `?` in a query. */
const faultOf = ({ detail, pointer }: { readonly pointer: string; readonly detail: string }): string =>
  pointer === "" ? detail : `${pointer.replace(/^[/?]/, "").replaceAll("/", " › ")} ${detail}`

const errorsOf = (error: unknown) => (error instanceof ApiProblem ? (error.problem?.errors ?? []) : [])

/** Whether a fault is of this member of the body, or of something in it. */
const isOf = (member: string, { pointer }: { readonly pointer: string }): boolean =>
  pointer === `/${member}` || pointer.startsWith(`/${member}/`)

/** The faults of this member of the body as one text, which calls it by its label where there is one; undefined without faults. */
export const faultAt = (error: unknown, member: string, label?: string): string | undefined => {
  const faults = errorsOf(error).filter((one) => isOf(member, one))
  if (faults.length === 0) return undefined
  // The label replaces the member's name alone: a place inside of it, such as that of the second network, is still named.
  const named = (pointer: string) => (label === undefined ? pointer : `/${label}${pointer.slice(member.length + 1)}`)
  return faults.map(({ detail, pointer }) => faultOf({ detail, pointer: named(pointer) })).join("; ")
}

/** Whether all that went wrong are faults of these members. */
export const isAllAt = (error: unknown, members: ReadonlySet<string>): boolean => {
  const errors = errorsOf(error)
  return errors.length > 0 && errors.every((one) => [...members].some((member) => isOf(member, one)))
}

/** Says what went wrong. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof ApiProblem && error.problem !== undefined) {
    const { code, detail, errors = [], request_id, title } = error.problem
    const [first] = errors
    // The detail of a problem with a single fault repeats that fault, behind its raw pointer.
    const isRepeated = errors.length === 1 && first !== undefined && detail.endsWith(first.detail)
    return {
      title,
      detail: isRepeated ? faultOf(first) : detail,
      faults: isRepeated ? [] : errors.map(faultOf),
      requestId: request_id,
      // Of the problem's `type` only the code is taken: a page of this origin, whatever the server is called outside.
      help: `/problems/${encodeURIComponent(code)}`
    }
  }
  const none = { faults: [], requestId: undefined, help: undefined }
  if (error instanceof ApiProblem) {
    return { ...none, title: "The server is not answering", detail: `Something before it answered ${error.status}.` }
  }
  if (error instanceof Unanswered) {
    return {
      ...none,
      title: "No answer",
      detail: "The server could not be reached. Check the connection and try again."
    }
  }
  return { ...none, title: "The page has failed", detail: error instanceof Error ? error.message : String(error) }
}
