/** The table of the packages that are installed together, from their manifests. */
import { TOP_FOLDER } from "../checks/repository.ts"
import { publicPackages } from "../release/publicPackages.ts"
import { table } from "./markdown.ts"

const PREFIX = "@agent-platform/"

/** By its name every package that is published, with those of ours that it asks for, and that these ask for. */
export const closures = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const manifests = new Map(publicPackages(TOP_FOLDER).map(({ manifest }) => [manifest.name, manifest]))
  const collect = (name: string, found: Set<string>): ReadonlySet<string> => {
    for (const other of Object.keys(manifests.get(name)?.dependencies ?? {})) {
      if (!other.startsWith(PREFIX) || found.has(other)) continue
      found.add(other)
      collect(other, found)
    }
    return found
  }
  return new Map([...manifests.keys()].map((name) => [name, [...collect(name, new Set())].sort()]))
}

const named = (names: ReadonlyArray<string>): string =>
  names.map((name) => `\`${name.slice(PREFIX.length)}\``).join(", ")

/** A row for the packages that ask for the same ones. Those that ask for least come first. */
export const packagesTogether = (): ReadonlyArray<string> => {
  const all = closures()
  const rows = Map.groupBy(all.keys(), (name) => named(all.get(name) ?? []))
  return table(
    ["You use", "Install with it"],
    [...rows]
      .sort(([left], [right]) => left.length - right.length)
      .map(([others, names]) => [named(names), others === "" ? "none of ours" : others])
  )
}
