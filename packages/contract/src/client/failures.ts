/** How calls fail. */
import type { Problem } from "../v1/errors.ts"

/** A problem as it comes over the wire. */
export type ProblemBody = Pick<
  Problem,
  "type" | "title" | "status" | "detail" | "instance" | "code" | "request_id" | "retryable" | "errors"
>

/** The service refused the request, and said why. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem"
  readonly status: number
  /** One of the documented codes. */
  readonly code: string
  /** Quote it when you report the problem. */
  readonly requestId: string | undefined
  /** Whether the very same request may succeed later. */
  readonly retryable: boolean
  /** After how many seconds it makes sense, where the service said so. */
  readonly retryAfterSeconds: number | undefined
  /** All that the service said; undefined where the answer was none of its own, as of a proxy. */
  readonly problem: ProblemBody | undefined

  constructor(status: number, problem: ProblemBody | undefined, retryAfterSeconds: number | undefined) {
    super(problem === undefined ? `The answer was ${status}, without a problem` : `${problem.title}: ${problem.detail}`)
    this.status = status
    this.code = problem?.code ?? "unknown"
    this.requestId = problem?.request_id
    this.retryable = problem?.retryable ?? false
    this.retryAfterSeconds = retryAfterSeconds
    this.problem = problem
  }
}

/** There was no answer, or it broke off: whether the request was done is not known. */
export class Unanswered extends Error {
  override readonly name = "Unanswered"
}
