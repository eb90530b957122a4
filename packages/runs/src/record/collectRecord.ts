import { canonicalJson } from "@agent-platform/kernel"
import { Effect, type Schema, Stream } from "effect"
import { type Redaction, redact } from "../redact.ts"
import { utf8 } from "../utf8.ts"
import { BLOCK_BYTES } from "./blocks.ts"
import type { RecordDocument } from "./recordDocument.ts"
import type { Part } from "./recordParts.ts"

/** Most items of a list, and most bytes of them. A log of the default quota fits. */
const LIST_ITEMS_MAX = 10_000
const LIST_BYTES_MAX = 24 * 1024 * 1024

/** Most places that are listed one by one; redactions elsewhere are counted together. */
const REDACTIONS_LISTED_MAX = 10_000

/** Redacts values, and remembers where something was redacted. */
const makeCleaner = () => {
  const listed: Array<Redaction> = []
  const others = new Map<string, number>()
  return {
    clean: (value: Schema.Json, at: string): Schema.Json => {
      const { redactions, value: cleaned } = redact(value, at)
      for (const one of redactions) {
        if (listed.length < REDACTIONS_LISTED_MAX) listed.push(one)
        else others.set(one.kind, (others.get(one.kind) ?? 0) + one.count)
      }
      return cleaned
    },
    redactions: (): ReadonlyArray<Redaction> => [
      ...listed,
      ...Array.from(others, ([kind, count]) => ({ pointer: "", kind, count }))
    ]
  }
}

const encode = (value: unknown): Uint8Array => utf8(canonicalJson(value))

/** Collects a list of a record. `add` returns how much work an item was, in bytes. */
const makeList = (name: string, clean: (value: Schema.Json, at: string) => Schema.Json) => {
  const items: Array<Uint8Array> = []
  let bytes = 0
  /** How many items did not fit, and the last of them, which is shown all the same. */
  let beyond = 0
  let last: Schema.Json | undefined
  const push = (value: Schema.Json) => {
    const item = encode(clean(value, `/${name}/${items.length}`))
    items.push(item)
    bytes += item.length
    return item.length
  }
  return {
    add: (value: Schema.Json): number => {
      if (beyond === 0 && items.length < LIST_ITEMS_MAX - 1 && bytes < LIST_BYTES_MAX) return push(value)
      beyond += 1
      last = value
      return 1
    },
    /** The items, the last of which is always there, and whether some before it are not. */
    end: () => {
      if (last !== undefined) push(last)
      return { items: items as ReadonlyArray<Uint8Array>, isCut: beyond > 1 }
    }
  }
}

/** An item of one of the lists of a record. */
export interface ListedItem {
  readonly list: "timeline" | "messages"
  readonly value: Schema.Json
}

/** The record without its lists. */
export interface RecordHead {
  readonly run: object
  readonly approvals: ReadonlyArray<object>
  readonly [name: string]: unknown
}

/**
 * Makes the document of a record: redacts the head and the items as they come, and keeps nothing but the canonical form.
 * Long work is done in steps, so that others have their turn in between.
 */
export const collectRecord = Effect.fnUntraced(function* <E, R>(
  { approvals, run, ...others }: RecordHead,
  items: Stream.Stream<ListedItem, E, R>
) {
  const { clean, redactions } = makeCleaner()
  const timeline = makeList("timeline", clean)
  const messages = makeList("messages", clean)
  let work = 0
  /** Counts work done, and yields to others after each block of it. */
  const worked = (bytes: number) => {
    work += bytes
    if (work < BLOCK_BYTES) return Effect.void
    work = 0
    return Effect.yieldNow
  }
  const cleanMembers = Effect.fnUntraced(function* (part: object, at: string) {
    const cleaned: Record<string, Schema.Json> = {}
    for (const [name, member] of Object.entries(part)) {
      const value = clean(member, `${at}/${name}`)
      cleaned[name] = value
      yield* worked(JSON.stringify(value).length)
    }
    return cleaned
  })

  const head: Part = {
    ...(yield* cleanMembers(others, "")),
    run: yield* cleanMembers(run, "/run"),
    approvals: yield* Effect.forEach(approvals, (one, index) => cleanMembers(one, `/approvals/${index}`))
  }
  yield* Stream.runForEach(items, ({ list, value }) =>
    Effect.suspend(() => worked((list === "timeline" ? timeline : messages).add(value)))
  )
  const [said, happened] = [messages.end(), timeline.end()]
  const found = redactions()
  return {
    head: { ...head, messages_truncated: said.isCut, timeline_truncated: happened.isCut },
    lists: { messages: said.items, redactions: found.map(encode), timeline: happened.items },
    redacted: found.reduce((sum, { count }) => sum + count, 0)
  } satisfies RecordDocument
})
