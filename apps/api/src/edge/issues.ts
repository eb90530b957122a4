/** Converts the issues of a schema into the faults of a request that the contract describes. */
import { type ProblemIssue, UnprocessableContent } from "@agent-platform/contract"
import { schemaFaults, shownName, shownPointer } from "@agent-platform/toolkit"
import type { SchemaIssue } from "effect"
import type { HttpApiError } from "effect/http-api"

type Path = ReadonlyArray<PropertyKey>
type Kind = HttpApiError.HttpApiSchemaError["kind"]

const capitals = (name: string): string => name.replaceAll(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())

/** The place of a fault, as responses name it. */
export const pointerOf = (kind: Kind, path: Path): string => {
  const [first = ""] = path
  if (kind === "Query") return `?${shownName(first)}`
  if (kind === "Headers") return capitals(String(first))
  return shownPointer(path)
}

const summary = (errors: ReadonlyArray<ProblemIssue>): string => {
  const [first] = errors
  if (first === undefined) return "The request breaks rules of this operation"
  if (errors.length > 1) return `The request has ${errors.length} faults: see errors`
  return `${first.pointer === "" ? "The body" : first.pointer} ${first.detail}`
}

/** The faults in `part`, a part of a request. */
export const issuesOf = (kind: Kind, issue: SchemaIssue.Issue, part: unknown): ReadonlyArray<ProblemIssue> =>
  schemaFaults(issue, part).map(({ path, ...fault }) => ({ pointer: pointerOf(kind, path), ...fault }))

/** Most faults that a response lists; its detail counts all of them. */
const ISSUES_ANSWERED_MAX = 100

/** One problem for all faults: `unknown_parameter` if all of them are of that kind, else `validation_failed`. */
export const problemOfIssues = (errors: ReadonlyArray<ProblemIssue>): UnprocessableContent =>
  new UnprocessableContent({
    code: errors.every((error) => error.code === "unknown_parameter") ? "unknown_parameter" : "validation_failed",
    detail: summary(errors),
    errors: errors.slice(0, ISSUES_ANSWERED_MAX)
  })
