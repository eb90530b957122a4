/** A record in its canonical form (RFC 8785), made and sent in pieces. docs/http.md, Records. */
import { canonicalJson } from "@agent-platform/kernel"
import type { Integrity } from "../use-cases/signRecord.ts"
import { utf8 } from "../utf8.ts"
import type { Part } from "./recordParts.ts"

/** A record. Its long lists are kept as the canonical JSON of their items, which every format is made of. */
export interface RecordDocument {
  /** All other members. */
  readonly head: Part
  readonly lists: Readonly<Record<"messages" | "redactions" | "timeline", ReadonlyArray<Uint8Array>>>
  /** How many secrets were redacted. */
  readonly redacted: number
}

/** The canonical form, piece by piece. */
export function* canonicalPieces({ head, lists }: Pick<RecordDocument, "head" | "lists">): Generator<Uint8Array> {
  let opening = "{"
  for (const name of Object.keys({ ...head, ...lists }).sort()) {
    yield utf8(`${opening}${JSON.stringify(name)}:`)
    opening = ","
    const list = (lists as Readonly<Record<string, ReadonlyArray<Uint8Array>>>)[name]
    if (list === undefined) {
      yield utf8(canonicalJson(head[name]))
      continue
    }
    yield utf8("[")
    for (const [index, item] of list.entries()) {
      if (index > 0) yield utf8(",")
      yield item
    }
    yield utf8("]")
  }
  yield utf8("}")
}

/** The record with its signature, which is over the canonical form without it. */
export const withIntegrity = (
  document: RecordDocument,
  { algorithm, keyId, sha256, signature }: Integrity
): RecordDocument => ({
  ...document,
  head: { ...document.head, integrity: { algorithm, sha256, signature, key_id: keyId } }
})
