/** The packages and the imports allowed between them. A new import is a changed line of this table, seen in review. */
import { isBuiltin } from "node:module"

/** The allowed imports of a package: libraries by name, and the entry points of other packages. */
export interface Row {
  readonly libraries: ReadonlyArray<string>
  readonly packages: ReadonlyArray<string>
}

/** The domains: of ours they import the kernel and the toolkit, and never each other. */
export const domains = ["runs", "keys", "billing", "webhooks", "feeds"] as const

/**
 * One row a package. "effect" is its main entry, `effect/crypto` (services, no technology) and `effect/encoding`
 * (pure codecs); any other sub-path is named by itself. `x/*` is everything under x, `node:*` every module of Node.
 */
export const packageRows: Readonly<Record<string, Row>> = {
  // node:crypto for `hmacSha256` alone, which domains sign with.
  toolkit: { libraries: ["effect", "node:crypto"], packages: [] },
  kernel: { libraries: ["effect"], packages: ["toolkit"] },
  runs: { libraries: ["effect"], packages: ["kernel", "toolkit"] },
  keys: { libraries: ["effect", "effect/net"], packages: ["kernel", "toolkit"] },
  billing: { libraries: ["effect"], packages: ["kernel", "toolkit"] },
  webhooks: { libraries: ["effect"], packages: ["kernel", "toolkit"] },
  feeds: { libraries: ["effect"], packages: ["kernel", "toolkit"] },
  contract: { libraries: ["effect", "effect/http", "effect/http-api"], packages: ["kernel", ...domains] },
  platform: { libraries: ["effect"], packages: ["kernel", "toolkit", ...domains] },
  postgres: { libraries: ["effect", "effect/sql", "@effect/sql-pg"], packages: ["kernel", "toolkit", ...domains] },
  "pg-boss": { libraries: ["effect", "effect/sql", "pg-boss"], packages: ["kernel", "toolkit"] },
  egress: { libraries: ["effect", "effect/net", "undici", "node:*"], packages: ["kernel", "toolkit"] },
  secrets: { libraries: ["effect"], packages: ["kernel"] },
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
    packages: ["kernel", "toolkit"]
  },
  models: {
    libraries: ["effect", "@ai-sdk/*", "@pydantic/genai-prices"],
    packages: ["kernel", "toolkit", "runs", "keys", "billing"]
  },
  oauth: { libraries: ["effect", "openid-client"], packages: ["kernel", "keys"] }
}

/** The allowed imports of the two entry points beside `.`, on top of their package's row. */
export const entryPoints: Readonly<Record<"memory" | "testing", Row>> = {
  memory: { libraries: [], packages: ["kernel/memory"] },
  testing: {
    libraries: ["vitest", "@effect/vitest", "effect/testing"],
    packages: ["kernel/memory", "kernel/testing"]
  }
}

/** The domains with a entry point for those who run nothing else of the house: it stands alone and imports nothing at all. */
export const receivers: ReadonlyArray<string> = ["webhooks"]

/** The apps: they compose whatever they like, hold no SQL and never import each other. */
export const apps: ReadonlyArray<string> = ["api", "worker", "admin"]

/** The entry points beside the main ones that apps may use: an app that calls the API does so as every client does. */
export const appEntryPoints: ReadonlyArray<string> = ["contract/client"]

/** Packages that have a row before they are built. A package leaves this list when it appears. */
export const planned: ReadonlyArray<string> = []

/** Where neither clock, network, process nor chance is taken from the air: the ports and Effect's services give them. */
export const pure: ReadonlyArray<string> = ["toolkit", "kernel", ...domains]

/** Names that the pure packages do not use; `Math.random` is the one that is not a name. */
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

/** Those of them that the receiver entry point does use: there is no Effect to provide a clock and WebCrypto. */
export const receiverGlobals: ReadonlyArray<string> = ["Date", "crypto"]

/** The scope under which every package and app is named. */
export const SCOPE = "@agent-platform/"

/** Which entry point of its package a source file stands behind. */
export type EntryPoint = "." | "memory" | "testing" | "receiver"

/** The entry point of a file, given its path inside `src`: the folders of that name are entry points of their own. */
export const entryPointOf = (pathInSrc: string): EntryPoint => {
  const [folder] = pathInSrc.split("/")
  return folder === "memory" || folder === "testing" || folder === "receiver" ? folder : "."
}

const ALONE: Row = { libraries: [], packages: [] }

/** The row of a file: that of its package, with what its entry point adds; none for an entry point that stands alone. */
export const rowOf = (own: Row, entryPoint: EntryPoint): Row => {
  if (entryPoint === ".") return own
  if (entryPoint === "receiver") return ALONE
  return {
    libraries: [...own.libraries, ...entryPoints[entryPoint].libraries],
    packages: [...own.packages, ...entryPoints[entryPoint].packages]
  }
}

const admits = (entry: string, specifier: string): boolean => {
  if (entry === "effect") return /^effect(?:\/(?:crypto|encoding)(?:\/.*)?)?$/.test(specifier)
  if (entry === "node:*") return isBuiltin(specifier) && specifier.startsWith("node:")
  if (entry.endsWith("/*")) return specifier.startsWith(entry.slice(0, -1))
  return specifier === entry || specifier.startsWith(`${entry}/`)
}

/** Whether `row` lets a file import `specifier`, which is not relative. A deep path is no entry point and never passes. */
export const mayImport = (row: Row, specifier: string): boolean =>
  specifier.startsWith(SCOPE)
    ? row.packages.includes(specifier.slice(SCOPE.length))
    : row.libraries.some((entry) => admits(entry, specifier))

const anyOf = (names: ReadonlyArray<string>): string => (names.length === 1 ? `${names[0]}` : `{${names.join(",")}}`)

/** The same row as a group of Biome's `noRestrictedImports`: everything is denied but what is named. */
export const biomeGroup = (row: Row, entryPoint: EntryPoint): ReadonlyArray<string> => {
  if (entryPoint === "receiver") return ["**", "!./**"]
  const admitted = rowOf(row, entryPoint)
  const folders = admitted.libraries.flatMap((entry) =>
    entry === "effect" ? ["effect/crypto", "effect/encoding"] : [entry]
  )
  const shut = { ".": ["memory", "testing"], memory: ["testing"], testing: [] }[entryPoint]
  return [
    "**",
    "!{.,..}/**",
    `!${anyOf(["effect", ...folders])}`,
    `!${anyOf(folders)}/**`,
    ...(admitted.packages.length > 0 ? [`!${SCOPE}${anyOf(admitted.packages)}`] : []),
    ...(shut.length > 0 ? [`**/${anyOf(shut)}`, `**/${anyOf(shut)}/**`] : []),
    "**/src/**"
  ]
}
