/** Pages that are written by hand, with blocks in them that are made from the code. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { eventData, eventTypes } from "./events.ts"
import { packagesTogether } from "./packagesTogether.ts"
import { providerFeatures } from "./providerFeatures.ts"

const BLOCK = /^<!-- made: (.+) -->\n(?:[\s\S]*?\n)??<!-- \/made -->$/gm

/** The lines of a block by its name, such as `event types`. */
export const blockOf = (name: string): ReadonlyArray<string> => {
  if (name === "event types") return eventTypes()
  if (name === "event data") return eventData()
  if (name === "provider features") return providerFeatures()
  if (name === "packages together") return packagesTogether()
  throw new Error(`There is no block '${name}'`)
}

/** The text with every block in it made anew. Fails where a block has a name that means nothing. */
export const withBlocks = (text: string): string =>
  text.replaceAll(BLOCK, (_, name: string) =>
    [`<!-- made: ${name} -->`, "", ...blockOf(name), "<!-- /made -->"].join("\n")
  )

/** A page of the repository with its blocks made anew. */
export const blockPage = (path: string): string =>
  withBlocks(readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8"))
