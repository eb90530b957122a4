/** The rooms of the house and the arrows between them. A new arrow is a changed line of this table, seen in review. */
import { isBuiltin } from "node:module"

/** The allowed imports of a package: libraries by name, and the entry points of other packages. */
export interface Row {
  readonly libraries: ReadonlyArray<string>
  readonly rooms: ReadonlyArray<string>
}

/** The domains: of ours they import the kernel and the toolkit, and never each other. */
export const domains = ["runs", "keys", "billing", "webhooks", "feeds"] as const

/**
 * One row a package. "effect" is its main entry, `effect/crypto` (services, no technology) and `effect/encoding`
 * (pure codecs); any other sub-path is named by itself. `x/*` is everything under x, `node:*` every module of Node.
 */
export const rooms: Readonly<Record<string, Row>> = {
  // node:crypto for `hmacSha256` alone, which domains sign with.
  toolkit: { libraries: ["effect", "node:crypto"], rooms: [] },
  kernel: { libraries: ["effect"], rooms: ["toolkit"] },
  runs: { libraries: ["effect"], rooms: ["kernel", "toolkit"] },
  keys: { libraries: ["effect", "effect/net"], rooms: ["kernel", "toolkit"] },
  billing: { libraries: ["effect"], rooms: ["kernel", "toolkit"] },
  webhooks: { libraries: ["effect"], rooms: ["kernel", "toolkit"] },
  feeds: { libraries: ["effect"], rooms: ["kernel", "toolkit"] },
  contract: { libraries: ["effect", "effect/http", "effect/http-api"], rooms: ["kernel", ...domains] },
  platform: { libraries: ["effect"], rooms: ["kernel", "toolkit", ...domains] },
  postgres: { libraries: ["effect", "effect/sql", "@effect/sql-pg"], rooms: ["kernel", "toolkit", ...domains] },
  "pg-boss": { libraries: ["effect", "effect/sql", "pg-boss"], rooms: ["kernel", "toolkit"] },
  egress: { libraries: ["effect", "effect/net", "undici", "node:*"], rooms: ["kernel", "toolkit"] },
  secrets: { libraries: ["effect"], rooms: ["kernel"] },
  process: {
    libraries: [
      "effect",
      "effect/observability",
      "@effect/platform-node",
      "pino",
      "pino-pretty",
      "node:crypto",
      "node:http",
      "node:perf_hooks"
    ],
    rooms: ["kernel", "toolkit"]
  },
  models: {
    libraries: ["effect", "@ai-sdk/*", "@pydantic/genai-prices"],
    rooms: ["kernel", "toolkit", "runs", "keys", "billing"]
  },
  oauth: { libraries: ["effect", "openid-client"], rooms: ["kernel", "keys"] }
}

/** The allowed imports of the two entry points beside `.`, on top of their package's row. */
export const doors: Readonly<Record<"memory" | "testing", Row>> = {
  memory: { libraries: [], rooms: ["kernel/memory"] },
  testing: {
    libraries: ["vitest", "@effect/vitest", "effect/testing"],
    rooms: ["kernel/memory", "kernel/testing"]
  }
}

/** The domains with a door for those who run nothing else of the house: it stands alone and imports nothing at all. */
export const receivers: ReadonlyArray<string> = ["webhooks"]

/** The apps: they compose whatever they like, hold no SQL and never import each other. */
export const apps: ReadonlyArray<string> = ["api", "worker", "admin"]

/** The doors beside the main ones that apps may use: an app that calls the API does so as every client does. */
export const appDoors: ReadonlyArray<string> = ["contract/client"]

/** Rooms that have a row before they are built. A room leaves this list when it appears. */
export const planned: ReadonlyArray<string> = []

/** Where neither clock, network, process nor chance is taken from the air: the ports and Effect's services give them. */
export const pure: ReadonlyArray<string> = ["toolkit", "kernel", ...domains]

/** Names that the pure rooms do not use; `Math.random` is the one that is not a name. */
export const deniedGlobals: ReadonlyArray<string> = [
  "Date",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "performance",
  "crypto",
  "fetch",
  "process",
  "Deno",
  "Buffer",
  "console",
  "globalThis"
]

/** Those of them that the receiver door does use: there is no Effect to bring it a clock and WebCrypto. */
export const receiverGlobals: ReadonlyArray<string> = ["Date", "crypto"]

/** The scope under which every package and app is named. */
export const SCOPE = "@agent-platform/"

/** Which door of its package a source file stands behind. */
export type Door = "." | "memory" | "testing" | "receiver"

/** The door of a file, given its path inside `src`: the folders of that name are doors of their own. */
export const doorOf = (pathInSrc: string): Door => {
  const [folder] = pathInSrc.split("/")
  return folder === "memory" || folder === "testing" || folder === "receiver" ? folder : "."
}

const ALONE: Row = { libraries: [], rooms: [] }

/** The row of a file: that of its package, with what its door adds; none for a door that stands alone. */
export const rowOf = (room: Row, door: Door): Row => {
  if (door === ".") return room
  if (door === "receiver") return ALONE
  return {
    libraries: [...room.libraries, ...doors[door].libraries],
    rooms: [...room.rooms, ...doors[door].rooms]
  }
}

const admits = (entry: string, specifier: string): boolean => {
  if (entry === "effect") return /^effect(?:\/(?:crypto|encoding)(?:\/.*)?)?$/.test(specifier)
  if (entry === "node:*") return isBuiltin(specifier) && specifier.startsWith("node:")
  if (entry.endsWith("/*")) return specifier.startsWith(entry.slice(0, -1))
  return specifier === entry || specifier.startsWith(`${entry}/`)
}

/** Whether `row` lets a file import `specifier`, which is not relative. A deep path is no door and never passes. */
export const mayImport = (row: Row, specifier: string): boolean =>
  specifier.startsWith(SCOPE)
    ? row.rooms.includes(specifier.slice(SCOPE.length))
    : row.libraries.some((entry) => admits(entry, specifier))

const anyOf = (names: ReadonlyArray<string>): string => (names.length === 1 ? `${names[0]}` : `{${names.join(",")}}`)

/** The same row as a group of Biome's `noRestrictedImports`: everything is denied but what is named. */
export const biomeGroup = (row: Row, door: Door): ReadonlyArray<string> => {
  if (door === "receiver") return ["**", "!./**"]
  const admitted = rowOf(row, door)
  const folders = admitted.libraries.flatMap((entry) =>
    entry === "effect" ? ["effect/crypto", "effect/encoding"] : [entry]
  )
  const shut = { ".": ["memory", "testing"], memory: ["testing"], testing: [] }[door]
  return [
    "**",
    "!{.,..}/**",
    `!${anyOf(["effect", ...folders])}`,
    `!${anyOf(folders)}/**`,
    ...(admitted.rooms.length > 0 ? [`!${SCOPE}${anyOf(admitted.rooms)}`] : []),
    ...(shut.length > 0 ? [`**/${anyOf(shut)}`, `**/${anyOf(shut)}/**`] : []),
    "**/src/**"
  ]
}
