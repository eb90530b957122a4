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
  client: { libraries: [], packages: [] },
  receiver: { libraries: [], packages: [] },
  contract: { libraries: ["effect", "effect/http", "effect/http-api"], packages: ["client", "kernel", ...domains] },
  platform: { libraries: ["effect"], packages: ["kernel", "toolkit", ...domains] },
  // node:fs for the certificates that the URL of the database names, node:zlib for logs of runs that ended, node:crypto for the digests
  // of migrations.
  postgres: {
    libraries: ["effect", "effect/sql", "@effect/sql-pg", "node:crypto", "node:fs", "node:zlib"],
    packages: ["kernel", "toolkit", ...domains]
  },
  "pg-boss": { libraries: ["effect", "effect/sql", "pg", "pg-boss", "node:fs"], packages: ["kernel", "toolkit"] },
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
      "node:fs",
      "node:http",
      "node:path",
      "node:perf_hooks",
      "node:url"
    ],
    // egress for the guard that the settings make, and runs for the recipes that they name, which the apps have alike.
    packages: ["kernel", "toolkit", "egress", "runs"]
  },
  models: {
    libraries: ["effect", "@ai-sdk/*", "@pydantic/genai-prices", "jose"],
    packages: ["kernel", "toolkit", "runs", "keys", "billing"]
  },
  // Plain functions over single domains, for hosts that know nothing of Effect; their memory is a storage that hosts can choose.
  embed: {
    libraries: ["effect", "effect/sql", "@effect/sql-pg", "node:crypto"],
    packages: [
      "kernel",
      "kernel/memory",
      "toolkit",
      "billing",
      "billing/memory",
      "feeds",
      "feeds/memory",
      "keys",
      "keys/memory",
      "runs",
      "runs/memory",
      "webhooks",
      "webhooks/memory",
      "postgres",
      "egress",
      "secrets"
    ]
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

/** The packages for those who run nothing else of ours: they import nothing at all, and have no dependencies. */
export const standalone: ReadonlyArray<string> = ["client", "receiver"]

/** The apps: they compose whatever they like, hold no SQL and never import each other. */
export const apps: ReadonlyArray<string> = ["api", "worker", "admin", "dashboard"]

/** The app that runs in browsers: of ours it imports the client alone, and nothing of Node. */
export const inBrowsers: Row = { libraries: [], packages: ["client"] }
export const browserApp = "dashboard"

/** The one file that imports a computed path: that of the recipes that an operator names. */
export const importsByPath: ReadonlyArray<string> = ["packages/process/src/loadRecipes.ts"]

/** Packages that have a row before they are built. A package leaves this list when it appears. */
export const planned: ReadonlyArray<string> = []

/** The packages that take clock, network, process and chance from ports and Effect's services, never from a global. */
export const pure: ReadonlyArray<string> = ["toolkit", "kernel", ...domains]

/** Globals that the pure packages do not use. `Math.random`, which is no single name, is looked for apart. */
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

/** The denied globals that not every runtime has: the packages that stand alone run on Node, Deno, workers and in browsers. */
export const runtimeGlobals: ReadonlyArray<string> = ["process", "Deno", "Buffer", "console"]

/** The scope under which every package and app is named. */
export const SCOPE = "@agent-platform/"

/** Which entry point of its package a source file stands behind. */
export type EntryPoint = "." | "memory" | "testing"

/** The entry point of a file, given its path inside `src`: the folders of that name are entry points of their own. */
export const entryPointOf = (pathInSrc: string): EntryPoint => {
  const [folder] = pathInSrc.split("/")
  return folder === "memory" || folder === "testing" ? folder : "."
}

/** The row of a file: that of its package, with what its entry point adds. */
export const rowOf = (own: Row, entryPoint: EntryPoint): Row => {
  if (entryPoint === ".") return own
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

/** The same row as a group of Biome's `noRestrictedImports`: `**` denies everything, `!` admits, and a later pattern wins. */
export const biomeGroup = (row: Row, entryPoint: EntryPoint): ReadonlyArray<string> => {
  if (row.libraries.length + row.packages.length === 0) return ["**", "!{.,..}/**"]
  const admitted = rowOf(row, entryPoint)
  const folders = admitted.libraries.flatMap((entry) =>
    entry === "effect" ? ["effect/crypto", "effect/encoding"] : [entry]
  )
  const hasMemory = admitted.packages.some((name) => name.endsWith("/memory"))
  // The names of entry points that are closed to this one in all other packages.
  const shut =
    hasMemory && entryPoint !== "testing"
      ? ["testing"]
      : { ".": ["memory", "testing"], memory: ["testing"], testing: [] }[entryPoint]
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
