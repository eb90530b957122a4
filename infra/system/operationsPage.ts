/** The configurations of other programs in docs/operations.md, so that tests run them as the page has them. */
import { readFileSync } from "node:fs"

const PAGE = new URL("../../docs/operations.md", import.meta.url)

/** The one block of the page in that language. */
export const blockOf = (language: string): string => {
  const all = [...readFileSync(PAGE, "utf8").matchAll(/^```(\w+)\n(.*?)^```$/gms)]
  const [[, , text] = [], ...others] = all.filter(([, written]) => written === language)
  if (text === undefined || others.length > 0) throw new Error(`docs/operations.md has not one block of ${language}`)
  return text
}
