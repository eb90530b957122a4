/** A provider's answer to the request for its models, read as far as it says something about the key. */
import { type IncomingResponse, isTextTooDeep } from "@agent-platform/kernel"
import { Option, Schema } from "effect"

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** An answer, as the rules of each provider look at it. None of its texts is kept. */
export interface ProviderAnswer {
  readonly status: number
  /** The body, where it is whole, JSON and not nested too deep. */
  readonly body: unknown
  /** Whether it says that it is JSON. A page of a proxy or of a firewall does not. */
  readonly isJson: boolean
  /** Its own wish when to be asked again, in seconds. */
  readonly retryAfterSeconds: number | undefined
}

/** The member of a JSON value at this path; undefined where there is none. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, name)
        ? (inner as Readonly<Record<string, unknown>>)[name]
        : undefined,
    value
  )

/** The text at this path; empty where there is none. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => {
  const found = at(value, ...path)
  return typeof found === "string" ? found : ""
}

const secondsOf = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,6}$/.test(header.trim()) ? Number(header) : undefined

const readBody = (bytes: Uint8Array): unknown => {
  const text = new TextDecoder().decode(bytes)
  return isTextTooDeep(text) ? undefined : Option.getOrUndefined(decodeJson(text))
}

/** Reads an answer. */
export const readAnswer = ({ body, headers, status }: IncomingResponse): ProviderAnswer => ({
  status,
  body: readBody(body),
  isJson: /\bjson\b/i.test(headers["content-type"] ?? ""),
  retryAfterSeconds: secondsOf(headers["retry-after"])
})
