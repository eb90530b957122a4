/** How calls fail. */
import type { ProblemIssue } from "./generated/schemas.ts"

/** A problem as it comes over the wire: `application/problem+json`. Every code has its page, `type`. */
export interface ProblemBody {
  /** The page about this code. */
  readonly type: string
  readonly title: string
  readonly status: number
  /** The explanation, for people. */
  readonly detail: string
  readonly instance: string
  /** One of the documented codes. */
  readonly code: string
  readonly request_id: string
  /** Whether the very same request may succeed later. */
  readonly retryable: boolean
  /** Where in the request the faults are. */
  readonly errors?: ReadonlyArray<ProblemIssue> | undefined
}

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
