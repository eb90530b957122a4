/** Rules for every answer, whatever was asked. */
import { isProblemCode, problemKind } from "@agent-platform/contract"
import type { Operation } from "./document.ts"

/** The part of a request that decides which answers are allowed. */
export interface Asked {
  readonly requestId: string
  /** Whether the body breaks its documented schema: then it must be refused. */
  readonly isBroken: boolean
}

/** The answer. */
export interface Given {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Undefined for a stream, which is not read to its end. */
  readonly text: string | undefined
  readonly millis: number
}

/** Longer than this nobody has to wait who did not ask to. */
const MILLIS_MAX = 15_000

/** Internals that must not leave: stacks, statements, and names of ours. */
const INNER = /node_modules|\.ts:\d+|at Object\.|SqlError|select .* from |SchemaError|effect\//i

const JSON_TYPES = ["application/json", "application/problem+json"]

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const problemFaults = (status: number, body: unknown, text: string, { requestId }: Asked): ReadonlyArray<string> => {
  const { code, request_id, status: stated } = (body ?? {}) as Record<string, unknown>
  return [
    ...(stated === status ? [] : [`says ${stated} in its body`]),
    ...(typeof code === "string" && isProblemCode(code) && problemKind(code).status === status
      ? []
      : [`has the code ${code}`]),
    ...(request_id === requestId ? [] : ["names another request"]),
    ...(INNER.test(text) ? ["reveals internals"] : [])
  ]
}

/** All that is wrong with an answer; nothing for one as documented. */
export const faultsOf = (operation: Operation, asked: Asked, given: Given): ReadonlyArray<string> => {
  const { headers, millis, status, text } = given
  if (status >= 500) return [`is ${status}`]
  const documented = operation.answers.get(status)
  if (documented === undefined) return [`is ${status}, which is not documented`]
  const faults: Array<string> = []
  if (headers["x-request-id"] !== asked.requestId) faults.push("carries another request id")
  if (millis > MILLIS_MAX) faults.push(`took ${Math.round(millis)} ms`)
  if (status === 429 && headers["retry-after"] === undefined) faults.push("lacks Retry-After")
  if (asked.isBroken && status < 300) faults.push("accepts a body that the document refuses")
  const type = String(headers["content-type"] ?? "").replace(/;.*$/, "")
  if (documented.bodies.size === 0) return text === "" || text === undefined ? faults : [...faults, "has a body"]
  const validate = documented.bodies.get(type)
  if (validate === undefined) return [...faults, `is ${type || "of no media type"}, which is not documented`]
  if (text === undefined || !JSON_TYPES.includes(type)) return faults
  const body = parsed(text)
  if (body === undefined) return [...faults, "is no JSON"]
  if (!validate(body)) {
    const [error] = validate.errors ?? []
    faults.push(`breaks its schema: ${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`)
  }
  return type === "application/problem+json" ? [...faults, ...problemFaults(status, body, text, asked)] : faults
}
