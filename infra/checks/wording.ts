/** Wording that makes comments and documentation hard to read. Pure functions over text. */
import type { TextFile } from "./boundaries.ts"

const OPENING = /^[ \t]*(?:\/\*\*?|\*|\/\/)[ \t]+What /gm
const WHOEVER = /\bwhoever\b/gi

/** The most that `whoever` may occur in packages, apps, infra and docs together. */
export const WHOEVER_MAX = 10

const places = ({ path, text }: TextFile, pattern: RegExp): ReadonlyArray<string> =>
  Array.from(text.matchAll(pattern), ({ index }) => `${path}:${text.slice(0, index).split("\n").length}`)

/** Comments whose first word is `What`: a noun phrase says the same without a relative clause. */
export const whatOpenings = (file: TextFile): ReadonlyArray<string> =>
  places(file, OPENING).map((place) => `${place} opens a comment with "What"`)

/** Every place that says `whoever`, once they are more than a few. */
export const whoeverBeyond = (max: number, files: ReadonlyArray<TextFile>): ReadonlyArray<string> => {
  const found = files.flatMap((file) => places(file, WHOEVER))
  return found.length > max ? found : []
}
