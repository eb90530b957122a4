/** Exports of activity: pages that name the page before, and faults found when they are read back. */
import {
  compareExported,
  exportActivity,
  makeExportReader,
  type ReadPage,
  readCursor,
  writeCursor
} from "@agent-platform/feeds"
import { layer as stores } from "@agent-platform/feeds/memory"
import { type ActivityRecord, FeedLog, UnitOfWork } from "@agent-platform/kernel"
import { feedTables, layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { anActivity } from "@agent-platform/kernel/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Stream } from "effect"
import { EXPORT_PAGE_MAX, type ExportCursor } from "../src/ActivityExport.ts"

const layer = Layer.fresh(Layer.provideMerge(stores, kernel))

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
const record = (...entries: ReadonlyArray<ActivityRecord>) => FeedLog.use((log) => atomic(log.record(...entries)))

const one = anActivity()
const { organizationId } = one
const others = (count: number) => Array.from({ length: count }, () => anActivity({ organizationId }))

const exported = (after?: ExportCursor) =>
  Effect.flatMap(exportActivity({ organizationId, after }), (pages) =>
    Effect.map(Stream.runCollect(pages), (all) => [...all])
  )

/** Reads lines back, and answers the faults of them or of their pages. */
const read = (lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const reader = makeExportReader()
    const pages: Array<ReadPage> = []
    for (const line of lines) {
      const page = yield* reader.line(line)
      if (page !== undefined) pages.push(page)
    }
    yield* reader.end
    return pages
  }).pipe(Effect.catchTag("ExportBroken", ({ detail }) => Effect.succeed(detail)))

const linesOf = (pages: ReadonlyArray<{ readonly lines: ReadonlyArray<string> }>) => pages.flatMap(({ lines }) => lines)

describe("an export of activity", () => {
  it.effect("goes on where another ended, page behind page, and is read back as one", () =>
    Effect.gen(function* () {
      const before = [one, ...others(EXPORT_PAGE_MAX)]
      yield* record(...before)
      const first = yield* exported()
      assert.deepStrictEqual(
        first.map(({ lines }) => lines.length),
        [EXPORT_PAGE_MAX + 2, 3]
      )
      const nothing = yield* exported(first.at(-1)?.cursor)
      const after = others(2)
      yield* record(...after)
      const second = yield* exported(nothing.at(-1)?.cursor)
      const pages = yield* read(linesOf([...first, ...nothing, ...second]))
      assert.notTypeOf(pages, "string")
      assert.deepStrictEqual(
        (pages as ReadonlyArray<ReadPage>).map(({ cursor, entries }) => [cursor.page, entries.length]),
        [
          [1, EXPORT_PAGE_MAX],
          [2, 1],
          [3, 0],
          [4, 2]
        ]
      )
      assert.deepStrictEqual(
        (pages as ReadonlyArray<ReadPage>).flatMap(({ entries }) => entries.map(({ id }) => id)),
        [...before, ...after].map(({ id }) => id)
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("has the same bytes whenever it is made from the same cursor", () =>
    Effect.gen(function* () {
      yield* record(one, ...others(3))
      const [first, again] = [yield* exported(), yield* exported()]
      assert.deepStrictEqual(linesOf(first), linesOf(again))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not gone on from a place of another organization", () =>
    Effect.gen(function* () {
      const foreign = anActivity()
      yield* record(one, foreign)
      const [page] = yield* Effect.flatMap(
        exportActivity({ organizationId: foreign.organizationId, after: undefined }),
        Stream.runCollect
      )
      const refused = yield* Effect.flip(exported(page?.cursor))
      assert.strictEqual(refused._tag, "ExportCursorUnknown")
    }).pipe(Effect.provide(layer))
  )

  const chain = Effect.gen(function* () {
    yield* record(one, ...others(1))
    const first = yield* exported()
    yield* record(...others(1))
    const second = yield* exported(first.at(-1)?.cursor)
    yield* record(...others(1))
    return [...first, ...second, ...(yield* exported(second.at(-1)?.cursor))].map(({ lines }) => lines)
  })

  it.effect("may begin with a later page", () =>
    Effect.gen(function* () {
      const [, second = [], third = []] = yield* chain
      const pages = yield* read([...second, ...third])
      assert.strictEqual(typeof pages === "string" ? pages : pages.length, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is found to be broken by any change, loss, addition or swap", () =>
    Effect.gen(function* () {
      const [first = [], second = [], third = []] = yield* chain
      const changed = first.map((line) => line.replace("Greeter", "Greeted"))
      const shortened = first.filter((_, index) => index !== 1)
      const recounted = shortened.map((line) => line.replace('"entries":2', '"entries":1'))
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [[...changed, ...second], /^page 1 was changed/],
        [[...shortened, ...second], /^page 1 was changed/],
        [[...recounted, ...second], /^page 1 was changed/],
        [[...first.slice(0, 2), ...first.slice(1), ...second], /^page 1 has an entry that does not belong there/],
        [[...first, ...third], /^page 2 is missing/],
        [[...second, ...first], /^page 3 is missing/],
        [[...first, ...first], /^page 2 is missing/],
        [first.slice(0, -1), /^page 1 has no end$/],
        [[...first.slice(0, -1), ...second], /^page 1 has no end$/],
        [first.slice(1), /^the line is of a page whose beginning is missing$/],
        [[...first, "{}"], /^the line is none of an export$/],
        [[...first, ""], /^the line is none of an export$/]
      ]
      for (const [lines, expected] of cases) assert.match(String(yield* read(lines)), expected)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is found to be broken where a page was made anew with a hash that fits", () =>
    Effect.gen(function* () {
      const [first = [], second = []] = yield* chain
      const forged = yield* Effect.gen(function* () {
        yield* record({ ...one, summary: "Nobody did anything" }, ...others(1))
        return linesOf(yield* exported())
      }).pipe(Effect.provide(layer))
      assert.typeOf(yield* read(forged), "array")
      assert.match(String(yield* read([...forged, ...second])), /^page 2 names another page before it/)
      assert.typeOf(yield* read([...first, ...second]), "array")
    }).pipe(Effect.provide(layer))
  )

  it.effect("names the entries that differ from those that are there, that were erased, or forgotten by age", () =>
    Effect.gen(function* () {
      const { activity } = feedTables(yield* MemoryDatabase)
      const [same, changed, erased] = [one, ...others(2)]
      yield* record(same!, changed!, erased!)
      const pages = yield* read(linesOf(yield* exported()))
      const entries = (pages as ReadonlyArray<ReadPage>).flatMap((page) => page.entries)
      yield* atomic(activity.put(changed!.id, { ...changed!, summary: "Nothing", payload: { more: 1 } }))
      yield* atomic(activity.remove(erased!.id))
      const differing = [{ id: changed!.id, members: ["payload", "summary"] }]
      assert.deepStrictEqual(
        yield* compareExported({ organizationId, entries, keptSince: DateTime.makeUnsafe("2020-01-01T00:00:00Z") }),
        { same: 1, forgotten: 0, erased: [erased!.id], differing }
      )
      const later = DateTime.makeUnsafe("2999-01-01T00:00:00Z")
      assert.deepStrictEqual(yield* compareExported({ organizationId, entries, keptSince: later }), {
        same: 1,
        forgotten: 1,
        erased: [],
        differing
      })
    }).pipe(Effect.provide(layer))
  )
})

describe("a cursor", () => {
  it("is read as it was written, and from nothing else", () => {
    const sha256 = "0a".repeat(32)
    for (const text of [`1.${sha256}.`, `12.${sha256}.900/01a1fd56-58fb-746b-bcf2-262fc1c65f60`]) {
      const cursor = readCursor(text)
      assert.isDefined(cursor)
      assert.strictEqual(writeCursor(cursor), text)
    }
    for (const text of [
      "",
      "1",
      `0.${sha256}.`,
      `1.${sha256}`,
      `1.${sha256.toUpperCase()}.`,
      `1.${sha256}.a b`,
      `1.x.`
    ]) {
      assert.isUndefined(readCursor(text), text)
    }
  })
})
