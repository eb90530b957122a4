import {
  type Comparison,
  compareExported,
  exportActivity,
  type ReadPage,
  readCursor,
  writeCursor
} from "@agent-platform/feeds"
import { CommandRefused, layerCrypto } from "@agent-platform/process"
import { Console, DateTime, Effect, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { config } from "../config.ts"
import { databaseCommand } from "../databaseCommand.ts"
import { described, JsonFlag } from "../described.ts"
import { organizationFlag, switchFlag } from "../flags.ts"
import { operatorIn, overDatabase } from "../operator.ts"
import { printJson } from "../printed.ts"
import { readPages } from "../readPages.ts"
import { AN_ORGANIZATION } from "../shapes.ts"

const A_HASH = "5f2b8c1e9a7d4036b1c2d3e4f5a60718293a4b5c6d7e8f90a1b2c3d4e5f60718"
const A_CURSOR = `2.${A_HASH}.81442/01a1fd56-58fe-7b0e-9b0e-0c6f7b1d2e3f`
const OF_ACME = `--organization ${AN_ORGANIZATION.id}`

const cursorFlag = Flag.String("cursor").pipe(
  Flag.withMetavar("CURSOR"),
  Flag.withDescription(
    "Where to go on: the cursor in the last line of the export before; from the beginning without it"
  ),
  Flag.filterMap(
    (text) => Option.fromNullishOr(readCursor(text)),
    () => "the cursor in the last line of an export"
  ),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

const exportPages = databaseCommand({
  name: "export",
  does: "Print the activity of an organization and of its workspaces as lines of JSON, as far as nothing of it can change any more; a page's last line has the cursor to go on from",
  examples: [`activity export ${OF_ACME}`, `activity export ${OF_ACME} --cursor ${A_CURSOR}`],
  prints: { type: "end", page: 2, sha256: A_HASH, cursor: A_CURSOR },
  flags: { organization: organizationFlag, cursor: cursorFlag },
  run: Effect.fn(function* ({ cursor, organization }) {
    const { organizationId } = yield* operatorIn(organization)
    const pages = yield* exportActivity({ organizationId, after: cursor }).pipe(
      Effect.catchTag(
        "ExportCursorUnknown",
        () =>
          new CommandRefused({
            message:
              "No export of this organization can go on there: it is another's, or the database was restored from a dump. Begin anew without a cursor"
          })
      )
    )
    yield* Stream.runForEach(pages, ({ lines }) => Console.log(lines.join("\n")))
  })
})

const NOTHING_COMPARED: Comparison = { same: 0, forgotten: 0, erased: [], differing: [] }

const sum = (one: Comparison, two: Comparison): Comparison => ({
  same: one.same + two.same,
  forgotten: one.forgotten + two.forgotten,
  erased: [...one.erased, ...two.erased],
  differing: [...one.differing, ...two.differing]
})

/** A count with its noun, in the singular for one: `1 entry`, `2 entries`. */
const counted = (count: number, things: string) => `${count} ${count === 1 ? things.replace(/ies$/, "y") : things}`

/** Prints a comparison for people. */
const printComparison = Effect.fnUntraced(function* ({ differing, erased, forgotten, same }: Comparison) {
  yield* Console.log(`In the database: ${same} as they were exported, ${forgotten} forgotten by age`)
  for (const id of erased) yield* Console.log(`${id} was erased`)
  for (const { id, members } of differing) yield* Console.log(`${id} differs: ${members.join(", ")}`)
})

/** The pages of all files together, and how their entries compare with the database. */
interface ReadFiles {
  readonly first: ReadPage
  readonly last: ReadPage
  /** How many entries the pages hold. */
  readonly entries: number
  readonly compared: Comparison
}

/** Reads the files page by page, and adds up what `compare` finds for each page. */
const readFiles = <R>(files: ReadonlyArray<string>, compare: (page: ReadPage) => Effect.Effect<Comparison, never, R>) =>
  readPages(files).pipe(
    Stream.runFoldEffect(
      (): ReadFiles | undefined => undefined,
      (found, page) =>
        Effect.map(
          compare(page),
          (comparison): ReadFiles => ({
            first: found?.first ?? page,
            last: page,
            entries: (found?.entries ?? 0) + page.entries.length,
            compared: sum(found?.compared ?? NOTHING_COMPARED, comparison)
          })
        )
    ),
    Effect.flatMap((found) =>
      found === undefined
        ? new CommandRefused({ message: "The files hold no page of an export" })
        : Effect.succeed(found)
    )
  )

/** Reads the files, and compares each page with the database of this deployment. */
const readBesideDatabase = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const { feedRetention } = yield* config
  const keptSince = DateTime.subtract(yield* DateTime.now, { days: feedRetention.activityDays })
  return yield* overDatabase(
    readFiles(files, ({ entries, organizationId }) => compareExported({ organizationId, entries, keptSince }))
  )
})

const verify = Command.make(
  "verify",
  {
    database: switchFlag(
      "database",
      "Compare with the database as well, and name entries that differ there or were erased"
    ),
    files: Argument.String("file").pipe(
      Argument.withDescription(
        "Files of one export, in the order in which they were made; the first may begin with any page"
      ),
      Argument.variadic({ min: 1 })
    )
  },
  Effect.fn(function* ({ database, files }) {
    const { compared, entries, first, last } = yield* database
      ? readBesideDatabase(files)
      : Effect.provide(
          readFiles(files, () => Effect.succeed(NOTHING_COMPARED)),
          layerCrypto
        )
    if (yield* JsonFlag) {
      yield* printJson({
        organization_id: last.organizationId,
        first_page: first.cursor.page,
        last_page: last.cursor.page,
        entries,
        sha256: last.cursor.sha256,
        cursor: writeCursor(last.cursor),
        database: database ? compared : null
      })
    } else {
      const pages = `Pages ${first.cursor.page} to ${last.cursor.page} of the organization ${last.organizationId}`
      yield* Console.log(`${pages}: ${counted(entries, "entries")}, as they were exported`)
      yield* Console.log(`The hash of page ${last.cursor.page} is ${last.cursor.sha256}`)
      if (database) yield* printComparison(compared)
    }
    const { differing, erased } = compared
    if (erased.length + differing.length > 0) {
      const message = `${counted(erased.length, "entries")} erased and ${counted(differing.length, "entries")} changed since the export`
      return yield* new CommandRefused({ message })
    }
  })
).pipe(
  described({
    does: "Read exports back: no page was changed, left out or put in; exit code 3 where one was, or where the database differs",
    examples: [
      "activity verify acme-2026-11-21.ndjson acme-2026-11-22.ndjson",
      "activity verify acme-2026-11-21.ndjson --database --json"
    ],
    prints: {
      organization_id: AN_ORGANIZATION.id,
      first_page: 1,
      last_page: 2,
      entries: 731,
      sha256: A_HASH,
      cursor: A_CURSOR,
      database: {
        same: 729,
        forgotten: 0,
        erased: ["01a1fd56-58fe-7b0e-9b0e-0c6f7b1d2e3f"],
        differing: [{ id: "01a1fd56-5900-7d21-8f6b-3a2c1d0e9f8a", members: ["summary"] }]
      }
    }
  })
)

/** Commands that export activity for auditors and verify it. */
export const activity = Command.make("activity").pipe(
  described({
    does: "Activity as an audit log: exports, whose pages name the hash of the page before",
    examples: [`activity export ${OF_ACME}`]
  }),
  Command.withSubcommands([exportPages, verify])
)
