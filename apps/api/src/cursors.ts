/** Opaque positions in lists. Contract: Conventions, cursors. */

import { createHmac, timingSafeEqual } from "node:crypto"
import { UnprocessableContent } from "@agent-platform/contract"
import { Effect, Option, Redacted, Schema } from "effect"
import { ApiSettings } from "./ApiSettings.ts"
import { canonicalJson } from "./canonicalJson.ts"

/** What a cursor belongs to. */
export interface CursorScope {
  /** The operation that gives it out and takes it back. */
  readonly route: string
  /** The workspace, or else the organization, whose list it is. */
  readonly owner: string
  /** The filters that it was made with. */
  readonly filters: Readonly<Record<string, string | number>>
}

const Payload = Schema.fromJsonString(Schema.Struct({ at: Schema.String, filters: Schema.String }))
const decodePayload = Schema.decodeUnknownOption(Payload)

/** Bytes of the signature that are kept: 128 bits. */
const SIGNATURE_BYTES = 16

const cursorInvalid = () =>
  new UnprocessableContent({
    code: "cursor_invalid",
    detail: "The cursor was not given out by this operation for this workspace. Start again without one",
    errors: [{ pointer: "?cursor", code: "invalid_value", detail: "must be a next_cursor of this list" }]
  })

const filterMismatch = () =>
  new UnprocessableContent({
    code: "cursor_filter_mismatch",
    detail: "The cursor was made with other filters. Send the same filters with every cursor",
    errors: [{ pointer: "?cursor", code: "invalid_value", detail: "must be sent with the filters it was made with" }]
  })

/** Makes and reads cursors under the deployment's key. */
export const makeCursors = Effect.gen(function* () {
  const { cursorKey } = yield* ApiSettings

  const sign = (scope: CursorScope, payload: string): Buffer =>
    createHmac("sha256", Redacted.value(cursorKey))
      .update(JSON.stringify(["cursor", scope.route, scope.owner, payload]))
      .digest()
      .subarray(0, SIGNATURE_BYTES)

  /** The cursor of a position; null for none, as lists show it. */
  const write = (scope: CursorScope, at: string | undefined): string | null => {
    if (at === undefined) return null
    const payload = JSON.stringify({ at, filters: canonicalJson(scope.filters) })
    return `${Buffer.from(payload).toString("base64url")}.${sign(scope, payload).toString("base64url")}`
  }

  /** The position of a cursor. Fails where it was altered, comes from elsewhere or was made with other filters. */
  const read = (
    scope: CursorScope,
    cursor: string | undefined
  ): Effect.Effect<string | undefined, UnprocessableContent> => {
    if (cursor === undefined) return Effect.succeed(undefined)
    const [encoded = "", signature = "", ...rest] = cursor.split(".")
    const payload = Buffer.from(encoded, "base64url").toString()
    const given = Buffer.from(signature, "base64url")
    const expected = sign(scope, payload)
    const genuine = rest.length === 0 && given.length === expected.length && timingSafeEqual(given, expected)
    const decoded = genuine ? decodePayload(payload) : Option.none()
    if (Option.isNone(decoded)) return Effect.fail(cursorInvalid())
    const { at, filters } = decoded.value
    return filters === canonicalJson(scope.filters) ? Effect.succeed(at) : Effect.fail(filterMismatch())
  }

  return { read, write }
})

/** What `makeCursors` answers. */
export type Cursors = Effect.Success<typeof makeCursors>
