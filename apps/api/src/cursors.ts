/** Opaque positions in lists. Spec: Conventions 2. */

import { createHmac, timingSafeEqual } from "node:crypto"
import { UnprocessableContent } from "@agent-platform/contract"
import { canonicalJson, type Page, type PageRequest } from "@agent-platform/kernel"
import { Effect, Option, Redacted, Schema } from "effect"
import { ApiSettings } from "./ApiSettings.ts"

/** The list and tenant that a cursor belongs to. */
export interface CursorScope {
  /** The operation that lists. */
  readonly route: string
  /** The workspace, or else the organization, that owns the list. */
  readonly owner: string
  /** The filters of the list. */
  readonly filters: Readonly<Record<string, string | number>>
}

/** A request for a page of a list. */
export interface ListCall {
  readonly query: { readonly limit: number; readonly cursor?: string }
}

const Payload = Schema.fromJsonString(Schema.Struct({ at: Schema.String, filters: Schema.String }))
const decodePayload = Schema.decodeUnknownOption(Payload)

/** The length to which the signature is cut: 128 bits. */
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

/** Makes functions that write and read cursors with the deployment's key. */
export const makeCursors = Effect.gen(function* () {
  const { cursorKey } = yield* ApiSettings

  /** The text of a cursor: the payload and its signature, separated by a dot. */
  const textOf = (scope: CursorScope, payload: string): string => {
    const signature = createHmac("sha256", Redacted.value(cursorKey))
      .update(JSON.stringify(["cursor", scope.route, scope.owner, payload]))
      .digest()
      .subarray(0, SIGNATURE_BYTES)
    return `${Buffer.from(payload).toString("base64url")}.${signature.toString("base64url")}`
  }

  /** The cursor of a position; null for none, as in responses. */
  const write = (scope: CursorScope, at: string | undefined): string | null =>
    at === undefined ? null : textOf(scope, JSON.stringify({ at, filters: canonicalJson(scope.filters) }))

  /** The position of a cursor. Fails for a cursor that was altered, of another list, or made with other filters. */
  const read = (
    scope: CursorScope,
    cursor: string | undefined
  ): Effect.Effect<string | undefined, UnprocessableContent> => {
    if (cursor === undefined) return Effect.succeed(undefined)
    const [encoded = ""] = cursor.split(".", 1)
    const payload = Buffer.from(encoded, "base64url").toString()
    // The texts are compared, since several texts decode to the same bytes.
    const [given, expected] = [Buffer.from(cursor), Buffer.from(textOf(scope, payload))]
    const genuine = given.length === expected.length && timingSafeEqual(given, expected)
    const decoded = genuine ? decodePayload(payload) : Option.none()
    if (Option.isNone(decoded)) return Effect.fail(cursorInvalid())
    const { at, filters } = decoded.value
    return filters === canonicalJson(scope.filters) ? Effect.succeed(at) : Effect.fail(filterMismatch())
  }

  /** A page of a list as the contract shows it, from the position of the query's cursor on. */
  const page = <Item, View, E, R>(
    scope: CursorScope,
    query: ListCall["query"],
    list: (page: PageRequest) => Effect.Effect<Page<Item>, E, R>,
    view: (item: Item) => View
  ) =>
    read(scope, query.cursor).pipe(
      Effect.flatMap((before) => list({ limit: query.limit, before })),
      Effect.map(({ items, next }) => ({ items: items.map((item) => view(item)), nextCursor: write(scope, next) }))
    )

  return { page, read, write }
})
