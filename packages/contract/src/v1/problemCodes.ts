/** The closed set of problem codes. Spec: Errors. */
import { callerProblems, type ProblemRow } from "./callerProblems.ts"
import { requestProblems } from "./requestProblems.ts"
import { stateProblems } from "./stateProblems.ts"

/** Every code with its status, title and explanation, by status. */
export const PROBLEMS = { ...callerProblems, ...requestProblems, ...stateProblems } as const

/** The `code` of a problem. */
export type ProblemCode = keyof typeof PROBLEMS

/** The codes that come with a status. */
export type CodeOf<Status extends number> = {
  readonly [Code in ProblemCode]: (typeof PROBLEMS)[Code]["status"] extends Status ? Code : never
}[ProblemCode]

/** The row of a code, complete. */
export const problemKind = (code: ProblemCode): Omit<ProblemRow, "retryable"> & { readonly retryable: boolean } => ({
  retryable: false,
  ...PROBLEMS[code]
})

/** Whether a text is a problem code. */
export const isProblemCode = (text: string): text is ProblemCode => Object.hasOwn(PROBLEMS, text)

/** All codes that come with a status. */
export const codesOf = <const Status extends number>(status: Status): ReadonlyArray<CodeOf<Status>> =>
  (Object.keys(PROBLEMS) as Array<ProblemCode>).filter(
    (code): code is CodeOf<Status> => PROBLEMS[code].status === status
  )
