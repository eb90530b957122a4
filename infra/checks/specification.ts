/** Reads the references to docs/specification.md out of comments, and says which of them lead nowhere. */
import type { TextFile } from "./boundaries.ts"

/** One section: its heading, and how many numbered rules it has. */
export interface Section {
  readonly title: string
  readonly rules: number
}

/** The sections of the page, in its order. */
export const sectionsOf = (page: string): ReadonlyArray<Section> => {
  const sections: Array<{ title: string; rules: number }> = []
  for (const line of page.split("\n")) {
    const title = /^##+ (.+)$/.exec(line)?.[1]
    const section = sections.at(-1)
    if (title !== undefined) sections.push({ title, rules: 0 })
    else if (section !== undefined && /^\d+\. /.test(line)) section.rules += 1
  }
  return sections
}

/** A reference goes on over the lines of its comment, up to a period or the comment's end. */
const REFERENCES = /\b(Spec|Contract): ([^\n.]*?)(?=\.(?:\s|$)|\s*\*\/|\n|$)/g
const CONTINUED = /\n[^\S\n]*(?:\*(?!\/)|\/\/)[^\S\n]?/g
const RULES = / (\d+(?:(?:, | and | to )\d+)*)$/

const faultOf = (part: string, sections: ReadonlyArray<Section>): string | undefined => {
  const rules = RULES.exec(part)
  const title = rules === null ? part : part.slice(0, rules.index)
  const section = sections.find((one) => one.title === title)
  if (section === undefined) return `there is no section '${title}'`
  const missing = (rules?.[1]?.match(/\d+/g) ?? []).filter((rule) => Number(rule) < 1 || Number(rule) > section.rules)
  return missing.length === 0 ? undefined : `'${title}' has no rule ${missing.join(", ")}`
}

/** The faults of all references in a file, each with its path. */
export const referenceFaults = (file: TextFile, sections: ReadonlyArray<Section>): ReadonlyArray<string> =>
  [...file.text.replaceAll(CONTINUED, " ").matchAll(REFERENCES)].flatMap(([, kind, named = ""]) => {
    if (kind !== "Spec") return [`${file.path}: write 'Spec:', not '${kind}:'`]
    return named
      .split("; ")
      .map((part) => faultOf(part.trim(), sections))
      .flatMap((fault) => (fault === undefined ? [] : [`${file.path}: ${fault}`]))
  })
