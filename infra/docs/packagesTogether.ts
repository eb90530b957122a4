/** The table of the packages that are installed together, from their manifests. */
import { TOP_FOLDER } from "../checks/repository.ts"
import { publicPackages } from "../release/publicPackages.ts"
import { table } from "./markdown.ts"

const PREFIX = "@agent-platform/"

/** Every published package by its name, with all packages of ours that it needs, by itself or through another. */
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

/** A row for the packages that need the same ones. The shortest lists come first. */
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
