/** Everywhere that a release says its version. All packages and apps have the same one. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { workspacesOf } from "./publicPackages.ts"

/** A version that can be released: three numbers, and perhaps the mark of a prerelease, such as `-rc.1`. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([\w.]+))?$/

/** Files beside the manifests that name the version, each time as it is. */
const NAMING: ReadonlyArray<string> = [
  "README.md",
  "docs/embedding.md",
  "packages/process/src/version.ts",
  "packages/models/src/mcp/McpClient.ts",
  "infra/Dockerfile",
  "infra/compose.yaml",
  "infra/helm/agent-platform/Chart.yaml",
  "docs/operations.md"
]

const partsOf = (version: string) => {
  const [, major, minor, patch, prerelease] = VERSION.exec(version) ?? []
  if (major === undefined) throw new Error(`${version} is no version such as 1.2.3 or 1.2.3-rc.1`)
  return { numbers: [major, minor, patch].map(Number), prerelease: prerelease?.split(".") ?? [] }
}

const isNumber = (part: string) => /^\d+$/.test(part)

/** Below zero where the one part of a prerelease's mark comes before the other: numbers by their size, and before words. */
const compareParts = (one: string, other: string): number => {
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other)
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1
  return one === other ? 0 : one < other ? -1 : 1
}

/** Below zero where `one` comes before `other`, by the order of Semantic Versioning: a prerelease before its release. */
const compareVersions = (one: string, other: string): number => {
  const [left, right] = [partsOf(one), partsOf(other)]
  const numbers = left.numbers.map((number, place) => number - (right.numbers[place] ?? 0))
  const shared = Math.min(left.prerelease.length, right.prerelease.length)
  const parts = left.prerelease.slice(0, shared).map((part, place) => compareParts(part, right.prerelease[place] ?? ""))
  const length = left.prerelease.length - right.prerelease.length
  return [...numbers, ...parts].find((order) => order !== 0) ?? (shared === 0 ? -length : length)
}

/** Throws unless `next` is a version, and none that comes before `current`. */
export const checkVersion = (next: string, current: string): void => {
  if (compareVersions(next, current) < 0) throw new Error(`${next} comes before ${current}, which is the version now`)
}

/** The text with the one version in place of the other. Throws where it does not name it. */
export const renamed = (path: string, text: string, current: string, next: string): string => {
  const named = new RegExp(`(?<![\\d.])${current.replaceAll(".", "\\.")}(?![\\d.]*\\d)`, "g")
  if (!named.test(text)) throw new Error(`${path} does not name the version ${current}`)
  return text.replaceAll(named, next)
}

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestAt = (text: string, scope: string, next: string): string => {
  const manifest: Manifest = JSON.parse(text)
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, pinned]) => [
    name,
    name.startsWith(scope) ? next : pinned
  ])
  const all = {
    ...manifest,
    version: next,
    ...(manifest.dependencies && { dependencies: Object.fromEntries(dependencies) })
  }
  return `${JSON.stringify(all, null, 2)}\n`
}

/** Every file that names the version, as it is at the next one, by its path. The lock file and the made pages follow from them. */
export const filesAt = (root: string, current: string, next: string): Readonly<Record<string, string>> => {
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const manifests = ["package.json", ...workspacesOf(root).map(({ folder }) => `${folder}/package.json`)]
  return Object.fromEntries([
    ...manifests.map((path) => [path, manifestAt(read(path), "@agent-platform/", next)]),
    ...NAMING.map((path) => [path, renamed(path, read(path), current, next)])
  ])
}
