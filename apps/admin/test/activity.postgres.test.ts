/** Exports of activity for auditors, by the program, and what is found when they are read back. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EXIT_REFUSED } from "@agent-platform/process"
import { assert, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { admin, assertPromised, bootstrapped, layer, parse, realAdmin } from "./operating.ts"

interface Line {
  readonly [name: string]: unknown
  readonly type: string
  readonly id: string
  readonly cursor: string
}

const linesOf = (out: string) => out.trim().split("\n")
const parsed = (out: string) => linesOf(out).map((line) => JSON.parse(line) as Line)
const entriesOf = (out: string) => parsed(out).filter(({ type }) => type === "entry")
const cursorOf = (out: string) => parsed(out).at(-1)?.cursor ?? ""

/** A folder that is gone with the test. */
const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "activity-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const exported = (organization: string, ...more: ReadonlyArray<string>) =>
  Effect.map(admin("activity", "export", "--organization", organization, ...more), ({ code, err, out }) => {
    assert.strictEqual(code, 0, err)
    return out
  })

/** Exports again and again until so many entries have settled: an open transaction of any database of the server holds them back. */
const settled = Effect.fnUntraced(function* (count: number, organization: string, ...more: ReadonlyArray<string>) {
  for (let look = 0; look < 2_000; look++) {
    const out = yield* exported(organization, ...more)
    if (entriesOf(out).length >= count) return out
    yield* Effect.sleep("10 millis")
  }
  throw new Error("Entries that were recorded do not settle")
})

/** An organization's first day and its second, in files. */
const twoDays = Effect.gen(function* () {
  const { organization_id: organization } = yield* bootstrapped
  const path = yield* folder
  const first = yield* settled(5, organization)
  yield* admin("keys", "create", "--organization", organization)
  const second = yield* settled(1, organization, "--cursor", cursorOf(first))
  const files = [join(path, "first.ndjson"), join(path, "second.ndjson")] as const
  writeFileSync(files[0], first)
  writeFileSync(files[1], second)
  return { organization, path, first, second, files }
})

const verify = (...args: ReadonlyArray<string>) => admin("activity", "verify", ...args)

suite(layer, { excludeTestServices: true })("an export of activity", (it) => {
  it.effect("has every entry of the organization with who did it, and goes on behind its last line", () =>
    Effect.gen(function* () {
      const { first, organization, second } = yield* twoDays
      assert.sameMembers(
        entriesOf(first).map(({ action }) => action),
        ["organization.created", "workspace.created", "member.invited", "api_key.created", "api_key.created"]
      )
      const [entry] = entriesOf(second)
      assert.deepInclude(entry, {
        action: "api_key.created",
        organization_id: organization,
        workspace_id: null,
        actor_type: "system",
        actor_id: "admin",
        resource_type: "api_key"
      })
      assert.strictEqual(entriesOf(second).length, 1)
      assertPromised(["activity", "export"], parsed(second).at(-1))
      assert.isEmpty(entriesOf(yield* exported(organization, "--cursor", cursorOf(second))))
    })
  )

  it.effect("leaves out what is newer than a transaction that is open", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { organization_id: organization } = yield* bootstrapped
      const before = yield* settled(5, organization)
      const [open, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const writing = sql`select pg_current_xact_id()::text`.pipe(
        Effect.andThen(Deferred.succeed(open, undefined)),
        Effect.andThen(Deferred.await(mayCommit)),
        sql.withTransaction
      )
      const transaction = yield* Effect.forkChild(writing)
      yield* Deferred.await(open)
      yield* admin("keys", "create", "--organization", organization)
      const during = yield* exported(organization, "--cursor", cursorOf(before))
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(transaction)
      assert.isEmpty(entriesOf(during))
      assert.strictEqual(entriesOf(yield* settled(1, organization, "--cursor", cursorOf(during))).length, 1)
    })
  )

  it.effect("is refused a cursor of another organization, and what is none", () =>
    Effect.gen(function* () {
      const { first } = yield* twoDays
      const { organization_id: other } = yield* bootstrapped
      const answer = yield* admin("activity", "export", "--organization", other, "--cursor", cursorOf(first))
      assert.strictEqual(answer.code, EXIT_REFUSED)
      assert.include(answer.err, "No export of this organization can go on there")
      assert.strictEqual((yield* admin("activity", "export", "--organization", other, "--cursor", "x")).code, 2)
    })
  )

  it.effect("is read back as it was, by itself and beside the database", () =>
    Effect.gen(function* () {
      const { files, organization, second } = yield* twoDays
      const alone = parse(yield* verify(...files, "--json"))
      assertPromised(["activity", "verify"], alone)
      assert.deepStrictEqual(alone, {
        organization_id: organization,
        first_page: 1,
        last_page: 2,
        entries: 6,
        sha256: parsed(second).at(-1)?.["sha256"],
        cursor: cursorOf(second),
        database: null
      })
      const beside = parse(yield* verify(...files, "--database", "--json"))
      assert.deepStrictEqual(beside.database, { same: 6, forgotten: 0, erased: [], differing: [] })
      const words = parseInt(
        (yield* verify(files[1])).out.match(/: (\d+) entry, as they were exported/)?.[1] ?? "0",
        10
      )
      assert.strictEqual(words, 1)
    })
  )

  it.effect("names each entry that was changed or erased in the database since", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { files, first, second } = yield* twoDays
      const [erased, changed] = [entriesOf(first)[2]?.id, entriesOf(second)[0]?.id]
      yield* sql`delete from activity where id = ${erased ?? ""}`
      yield* sql`update activity set summary = 'Nothing', actor_id = null, actor_word = 'nobody' where id = ${changed ?? ""}`
      const { code, err, out } = yield* verify(...files, "--database")
      assert.strictEqual(code, EXIT_REFUSED)
      assert.include(out, "In the database: 4 as they were exported, 0 forgotten by age")
      assert.include(out, `${erased} was erased`)
      assert.include(out, `${changed} differs: actor_id, summary`)
      assert.include(err, "1 entry erased and 1 entry changed since the export")
      const report = yield* verify(...files, "--database", "--json")
      assert.strictEqual(report.code, EXIT_REFUSED)
      const { database } = JSON.parse(report.out)
      assert.deepStrictEqual(database.differing, [{ id: changed, members: ["actor_id", "summary"] }])
    })
  )

  it.effect("that was changed, cut, or is given in another order is refused by file and line", () =>
    Effect.gen(function* () {
      const { files, first, path } = yield* twoDays
      const with_ = (name: string, text: string) => {
        const file = join(path, name)
        writeFileSync(file, text)
        return file
      }
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [[with_("changed", first.replace("Acme", "Acne"))], "changed, line 7: page 1 was changed"],
        [[with_("cut", `${linesOf(first).slice(0, -1).join("\n")}\n`)], "cut, line 6: page 1 has no end"],
        [[files[1], files[0]], "first.ndjson, line 1: page 3 is missing"],
        [[files[0], files[0]], "first.ndjson, line 1: page 2 is missing"],
        [[with_("empty", "")], "The files hold no page of an export"],
        [[join(path, "nowhere")], "nowhere cannot be read"]
      ]
      for (const [given, expected] of cases) {
        const { code, err } = yield* verify(...given)
        assert.strictEqual(code, EXIT_REFUSED, expected)
        assert.include(err, expected)
      }
    })
  )

  it.effect("is printed by the real program, ready for a file", () =>
    Effect.gen(function* () {
      const { first, organization, path } = yield* twoDays
      const { code, out } = yield* realAdmin("activity", "export", "--organization", organization)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(linesOf(out).slice(1, 6), linesOf(first).slice(1, 6))
      writeFileSync(join(path, "all.ndjson"), out)
      assert.strictEqual((yield* realAdmin("activity", "verify", join(path, "all.ndjson"))).code, 0)
    })
  )
})
