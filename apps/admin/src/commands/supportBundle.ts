import { CommandRefused } from "@agent-platform/process"
import { Console, DateTime, Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { described, JsonFlag } from "../described.ts"
import { printJson } from "../printed.ts"
import { supportBundle as collect } from "../support/supportBundle.ts"

const fileFlag = Flag.String("file").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Where to write it, which must be new; agent-platform-support-TIME.json here without it"),
  Flag.filter(
    (text) => text.trim() !== "",
    () => "the name of a file"
  ),
  Flag.optional
)

const nameAt = (now: DateTime.Utc) =>
  `agent-platform-support-${DateTime.formatIso(now).replaceAll(/[-:]|\.\d+/g, "")}.json`

/** The names of the sections that could not be read, at any depth. Such a section is `{ unavailable: … }`. */
const missingIn = (value: unknown, path = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return []
  if ("unavailable" in value) return [path]
  return Object.entries(value).flatMap(([name, part]) => missingIn(part, path === "" ? name : `${path}.${name}`))
}

/** Writes a file that an operator can send to a maintainer. */
export const supportBundle = Command.make(
  "support-bundle",
  { file: fileFlag },
  Effect.fn(function* ({ file }) {
    const bundle = yield* collect
    const path = Option.getOrElse(file, () => nameAt(DateTime.makeUnsafe(bundle.made_at)))
    const text = `${JSON.stringify(bundle, null, 2)}\n`
    const files = yield* FileSystem.FileSystem
    // Other users of this machine cannot read it.
    yield* files
      .writeFileString(path, text, { flag: "wx", mode: 0o600 })
      .pipe(Effect.mapError(({ message }) => new CommandRefused({ message: `The file cannot be written: ${message}` })))
    const missing = missingIn(bundle)
    const bytes = Buffer.byteLength(text)
    if (yield* JsonFlag) return yield* printJson({ file: path, bytes, unavailable: missing })
    yield* Console.log(`Wrote ${path}, ${Math.ceil(bytes / 1_024)} KiB of JSON. Read it before you send it`)
    if (missing.length > 0) yield* Console.log(`These sections could not be read: ${missing.join(", ")}`)
  })
).pipe(
  described({
    does: "Write a file for a maintainer: versions, settings without secrets, findings, sizes, queues, jobs and Postgres, as counts and words of ours; nothing that tenants wrote",
    examples: ["support-bundle", "support-bundle --file /tmp/support.json --json"],
    prints: { file: "/tmp/support.json", bytes: 48213, unavailable: ["database.readings"] }
  })
)
