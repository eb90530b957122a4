/** The boundaries between packages, as pure functions over text: each answers its violations, one sentence each. */
import { isBuiltin } from "node:module"
import { posix } from "node:path"
import {
  apps,
  browserApp,
  deniedGlobals,
  entryPointOf,
  importsByPath,
  inBrowsers,
  mayImport,
  packageRows,
  planned,
  pure,
  rowOf,
  runtimeGlobals,
  SCOPE,
  standalone
} from "./packages.ts"
import { computedImportsOf, type Import, importsOf, lineAt, readSource, type Source } from "./source.ts"

/** A file of the repository; its path is relative to the top and has forward slashes. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

/** Where a source file lives: `packages/runs/src/memory/index.ts` is `memory/index.ts` of the package runs. */
interface Place {
  readonly kind: "packages" | "apps"
  readonly packageName: string
  readonly inSrc: string
}

const placeOf = (path: string): Place | undefined => {
  const [, kind, packageName, inSrc] = /^(packages|apps)\/([^/]+)\/src\/(.+)$/.exec(path) ?? []
  if (packageName === undefined || inSrc === undefined) return undefined
  return { kind: kind === "apps" ? "apps" : "packages", packageName, inSrc }
}

const relativeImportFault = (path: string, place: Place, specifier: string): string | undefined => {
  const home = `${place.kind}/${place.packageName}/`
  const target = posix.join(posix.dirname(path), specifier)
  if (!target.startsWith(home)) return `${specifier} leaves the package`
  if (!/\.(?:tsx?|mts|js|mjs|json|css)$/.test(specifier)) return `${specifier} lacks its extension`
  const from = entryPointOf(place.inSrc)
  const to = entryPointOf(target.slice(`${home}src/`.length))
  // Only testing imports another entry point than the main one, memory.
  if (place.kind === "packages" && to !== "." && to !== from && from !== "testing") {
    return `${specifier} imports the ${to} entry point into ${from === "." ? "production code" : "the memory entry point"}`
  }
  return undefined
}

const isNotForBrowsers = (specifier: string): boolean =>
  isBuiltin(specifier) || (specifier.startsWith(SCOPE) && !mayImport(inBrowsers, specifier))

const appImportFault = (place: Place, specifier: string): string | undefined => {
  if (/^effect\/sql(?:\/|$)/.test(specifier) && place.inSrc !== "layers.ts") {
    return `${specifier} is for src/layers.ts alone; SQL is in the postgres package`
  }
  if (place.packageName === browserApp && isNotForBrowsers(specifier)) return `${specifier} is not for browsers`
  if (!specifier.startsWith(SCOPE)) return undefined
  const [name = "", ...path] = specifier.slice(SCOPE.length).split("/")
  if (apps.includes(name)) return `${specifier} is an app, and no app imports another`
  if (path[0] === "memory" || path[0] === "testing") return `${specifier} is an entry point for tests`
  return path.length > 0 ? `${specifier} bypasses the entry points of ${name}` : undefined
}

const importFault = (path: string, place: Place, { specifier }: Import): string | undefined => {
  if (/^\.{0,2}\//.test(specifier) || specifier === "." || specifier === "..") {
    return relativeImportFault(path, place, specifier)
  }
  if (place.kind === "apps") return appImportFault(place, specifier)
  const row = packageRows[place.packageName]
  if (row === undefined || mayImport(rowOf(row, entryPointOf(place.inSrc)), specifier)) return undefined
  return `${specifier} is not in the row of ${place.packageName}`
}

/** Imports that the package, its entry point or its manifest forbids. */
export const importViolations = (file: TextFile, source: Source = readSource(file.text)): ReadonlyArray<string> => {
  const place = placeOf(file.path)
  if (place === undefined) return []
  return [
    ...importsOf(source).flatMap((one) => {
      const fault = importFault(file.path, place, one)
      return fault === undefined ? [] : [`${file.path}:${one.line} ${fault}`]
    }),
    ...(importsByPath.includes(file.path) ? [] : computedImportsOf(source)).map(
      (line) => `${file.path}:${line} imports a computed path`
    )
  ]
}

const GLOBAL = new RegExp(
  // The whole word, and no member (`Schema.Date`): of dots only those of a spread may stand before it.
  String.raw`(?<![\w$]|(?<!\.\.)\.)(${deniedGlobals.join("|")})(?![\w$])` +
    // No key (`fetch: ...`), which stands behind a bracket, a separator, `readonly` or a line's end. A branch of `? :` stands behind `?`.
    String.raw`(?!(?<=(?:[{,;(]\s*|\breadonly\s+|[^?\s]\s*\n\s*)\1)\s*\??:)`,
  "g"
)
// `Math.random`, a computed member of `Math`, and `const { random } = Math`.
const CHANCE = /(?<![\w$.])Math\s*(?:(?:\?\.|\.)\s*random\b|(?:\?\.\s*)?\[)|\}\s*=\s*Math\b/g

const CHANCE_NAME = "Math.random"

const deniedIn = (packageName: string): ReadonlyArray<string> =>
  pure.includes(packageName) ? [...deniedGlobals, CHANCE_NAME] : standalone.includes(packageName) ? runtimeGlobals : []

/**
 * Every place in a pure package that takes the clock, the network, the process or chance from a global. A parameter that
 * bears the name of such a global is refused as well: a reader could not distinguish them. A package that stands alone may
 * take what every runtime has.
 */
export const globalViolations = (file: TextFile, source: Source = readSource(file.text)): ReadonlyArray<string> => {
  const place = placeOf(file.path)
  if (place?.kind !== "packages") return []
  const denied = deniedIn(place.packageName)
  return [
    ...[...source.code.matchAll(GLOBAL)].map((hit) => ({ at: hit.index, name: hit[1] })),
    ...[...source.code.matchAll(CHANCE)].map((hit) => ({ at: hit.index, name: CHANCE_NAME }))
  ]
    .filter(({ name }) => denied.some((one) => one === name))
    .map(({ at, name }) => `${file.path}:${lineAt(source, at)} uses the global ${name}`)
}

/** Reads of the environment in the source of a package or an app, other than an app's `config.ts`. */
export const environmentViolations = (
  file: TextFile,
  source: Source = readSource(file.text)
): ReadonlyArray<string> => {
  const place = placeOf(file.path)
  if (place === undefined || (place.kind === "apps" && place.inSrc === "config.ts")) return []
  // `process.env` and `Deno.env`, a computed member of `process`, and an `env` that is taken out of `process` or imported.
  const reads =
    /(?<![\w$])(?:process|Deno)\s*(?:\?\.|\.)\s*env\b|(?<![\w$])process\s*(?:\?\.\s*)?\[|\benv\b[^;{}]*\}\s*(?:=\s*process\b|from\s*["'])/g
  return [...source.code.matchAll(reads)]
    .filter(({ index, 0: hit }) => !/["']$/.test(hit) || fromProcess(source, index + hit.length - 1))
    .map(({ index }) => `${file.path}:${lineAt(source, index)} reads the environment outside of an app's config.ts`)
}

/** Whether the literal at this quote is Node's `process`: of `import { env } from`, the pattern matches up to the quote alone. */
const fromProcess = (source: Source, quote: number): boolean =>
  source.literals.some(({ at, text }) => at === quote && /^(?:node:)?process$/.test(text))

const SQL_STATEMENT =
  /^\s*(?:SELECT\b[\s\S]*\bFROM\b|INSERT\s+INTO\b|UPDATE\s+[\w."]+\s+SET\b|DELETE\s+FROM\b|(?:CREATE|ALTER|DROP|TRUNCATE)\s+(?:TABLE|INDEX|SCHEMA|EXTENSION|FUNCTION|TYPE|VIEW)\b|WITH\s+\w+\s+AS\s*\()/

/** SQL in an app: a template tagged `sql`, an unsafe call, or a string that is a statement. */
export const sqlViolations = (file: TextFile, source: Source = readSource(file.text)): ReadonlyArray<string> => {
  if (placeOf(file.path)?.kind !== "apps") return []
  const tagged = ({ at }: { readonly at: number }) =>
    source.code[at] === "`" && /(?<![\w$])sql(?:<[^`]*>)?\s*$/.test(source.code.slice(0, at))
  // Statements are written in capitals or in small letters; a sentence ("Delete from ...") starts with one capital.
  const statement = ({ text }: { readonly text: string }) =>
    SQL_STATEMENT.test(text) || (/^\s*[a-z]/.test(text) && SQL_STATEMENT.test(text.toUpperCase()))
  return [
    ...source.literals.filter((literal) => tagged(literal) || statement(literal)).map(({ at }) => at),
    ...[...source.code.matchAll(/(?<![\w$])sql\s*\.\s*unsafe\s*\(/g)].map(({ index }) => index)
  ].map((at) => `${file.path}:${lineAt(source, at)} holds SQL`)
}

const BANNED_WORDS = /(?:^|[^a-z])(?:utils?|common|helpers?|misc|managers?)(?![a-z])/

/** Paths whose names say nothing about what is inside. */
export const nameViolations = (path: string): ReadonlyArray<string> => {
  const words = path.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase()
  return BANNED_WORDS.test(words) || /(?:^|\/)types\.ts$/.test(words) ? [`${path} has a name that says nothing`] : []
}

/** Lines above which a file is due to be split: it is named in the output of the check. */
export const LINES_WARN = 250
/** Lines above which the check fails. */
export const LINES_MAX = 400

/** The files with more than `max` lines. */
export const longerThan = (max: number, files: ReadonlyArray<TextFile>): ReadonlyArray<string> =>
  files
    .map(({ path, text }) => ({ path, lines: text.replace(/\n$/, "").split("\n").length }))
    .filter(({ lines }) => lines > max)
    .map(({ path, lines }) => `${path} has ${lines} lines`)

const TOP = ["package.json", "package-lock.json", "packages", "apps", "infra", "docs", "tsconfig.json", "biome.json"]

/** Files at the top of the repository that do not belong there; dot files are free. */
export const topLevelViolations = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names
    .filter((name) => ![...TOP, "README.md", "LICENSE", "node_modules", "dist"].includes(name) && !name.startsWith("."))
    .map((name) => `${name} does not belong at the top of the repository`)

/** Packages without a row, rows without a package, and planned packages that stand already. */
export const tableViolations = (
  packages: ReadonlyArray<string>,
  appNames: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...packages.filter((name) => packageRows[name] === undefined).map((name) => `packages/${name} has no row`),
  ...appNames.filter((name) => !apps.includes(name)).map((name) => `apps/${name} has no row`),
  ...Object.keys(packageRows)
    .filter((name) => !packages.includes(name) && !planned.includes(name))
    .map((name) => `The row of ${name} has no package and is not planned`),
  ...apps.filter((name) => !appNames.includes(name)).map((name) => `The app ${name} is missing`),
  ...planned.filter((name) => packages.includes(name)).map((name) => `${name} stands, so it is no longer planned`)
]
