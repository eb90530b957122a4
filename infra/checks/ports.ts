/** The ports that an embedder can implement, with their methods and the suites that hold them, as their files say it. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { TOP_FOLDER } from "./repository.ts"

/** A port as its file has it. */
export interface Port {
  readonly package: string
  readonly name: string
  readonly methods: ReadonlyArray<string>
  /** Empty where nothing holds it. */
  readonly suites: ReadonlyArray<string>
  /** Its layers for embedders that do without it. */
  readonly unused: ReadonlyArray<string>
}

const PACKAGES = ["kernel", "runs", "keys", "billing", "webhooks", "feeds"]

/** Reads the ports out of a source by its layout: a class at the margin, its methods four spaces in, its layers two. */
const portsIn = (name: string, source: string): ReadonlyArray<Port> => {
  // The comment of a file's port and those of its class say which suite holds it.
  const suites = [...new Set([...source.matchAll(/`(\w+Contract)`/g)].map(([, suite = ""]) => suite))]
  return [
    ...source.matchAll(/^export class (\w+) extends Context\.Service<\n {2}\w+,\n {2}\{\n([\s\S]*?)^ {2}\}\n>/gm)
  ].map(([whole, port = "", body = ""]) => {
    const rest = source.slice(source.indexOf(whole) + whole.length)
    return {
      package: name,
      name: port,
      methods: [...body.matchAll(/^ {4}readonly (\w+)[?:]/gm)].map(([, method = ""]) => method),
      suites,
      unused: [...rest.matchAll(/^ {2}static readonly (layer\w+): Layer/gm)].map(([, layer = ""]) => layer)
    }
  })
}

/** All ports, package by package and by their names. */
export const ports: ReadonlyArray<Port> = PACKAGES.flatMap((name) => {
  const folder = join(TOP_FOLDER, "packages", name, "src", "ports")
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .flatMap((file) => portsIn(name, readFileSync(join(folder, file), "utf8")))
})

const listed = (names: ReadonlyArray<string>) => names.map((name) => `\`${name}\``).join(", ")

/** The rows of the table of `docs/embedding.md`. */
export const portRows: ReadonlyArray<string> = ports.map(
  (port) =>
    `| \`${port.name}\` (${port.package}) | ${listed(port.methods)} | ${listed(port.suites) || "none"} | ${listed(port.unused)} |`
)
