/** Reads answers of providers: the facts that the rules about keys look at, and members of JSON that nobody has checked. */
import { type IncomingResponse, readJson } from "@agent-platform/kernel"
import { Predicate } from "effect"

/** An answer, as the rules of each provider look at it. None of its texts is kept. */
export interface ProviderAnswer {
  readonly status: number
  /** The body, where it is whole, JSON and not nested too deep. */
  readonly body: unknown
  /** Whether it says that it is JSON. A page of a proxy or of a firewall does not. */
  readonly isJson: boolean
  /** Its `Retry-After`, in seconds. */
  readonly retryAfterSeconds: number | undefined
  /** The kind of error that Amazon names in a header; empty where there is none. */
  readonly errorType: string
}

/** The member of a JSON value at this path; undefined where there is none. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      Predicate.isObjectOrArray(inner) && Object.hasOwn(inner, name)
        ? (inner as Readonly<Record<string, unknown>>)[name]
        : undefined,
    value
  )

/** The text at this path; empty where there is none. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => {
  const found = at(value, ...path)
  return typeof found === "string" ? found : ""
}

/** The list at this path; empty where there is none. */
export const listAt = (value: unknown, ...path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

const secondsOf = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,6}$/.test(header.trim()) ? Number(header) : undefined

export const readAnswer = ({
  body,
  headers,
  status
}: Pick<IncomingResponse, "body" | "headers" | "status">): ProviderAnswer => {
  return {
    status,
    body: readJson(new TextDecoder().decode(body)).value,
    isJson: /\bjson\b/i.test(headers["content-type"] ?? ""),
    retryAfterSeconds: secondsOf(headers["retry-after"]),
    errorType: (headers["x-amzn-errortype"] ?? "").replace(/:.*$/, "")
  }
}
