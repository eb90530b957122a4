/** A record to read as Markdown. All text of a run stays text: it can make no heading, link or tag. */
import { READABLE_BYTES_MAX, type RecordFormat, readable } from "./readable.ts"
import type { RecordDocument } from "./recordDocument.ts"
import { answerOf, noteOf, type Part, partOf, textOf } from "./recordParts.ts"

const LINE_END = /\r\n|[\r\n\u2028\u2029]/

/** Text on one line, with everything escaped that means something to Markdown or HTML. */
const inline = (text: string): string =>
  text
    .split(LINE_END)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")
    .replaceAll(/[\\`*_{}[\]()#+\-.!|<>~&:@=$^"']/g, "\\$&")

/** Text of several lines as a quotation. */
const quote = (text: string): string =>
  text
    .split(LINE_END)
    .map((line) => `> ${inline(line)}`)
    .join("  \n")

/** A block of code whose fence no text inside of it can close. */
const block = (text: string): string => {
  let longest = 2
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  const fence = "`".repeat(longest + 1)
  return `${fence}json\n${text}\n${fence}`
}

const entry = (one: Part): string => {
  const data = JSON.stringify(one["data"] ?? {})
  const shown = data === "{}" ? "" : inline(data)
  return `| ${textOf(one, "seq")} | ${inline(textOf(one, "created_at"))} | ${inline(textOf(one, "type"))} | ${shown} |\n`
}

const FORMAT: RecordFormat = {
  opening: (title, facts) =>
    `# ${inline(title)}\n\n| | |\n| --- | --- |\n${facts.map(([name, fact]) => `| ${name} | ${inline(fact)} |\n`).join("")}\n`,
  heading: (title) => `## ${title}\n\n`,
  message: (one) => {
    const unfinished = one["is_complete"] === false ? ", unfinished" : ""
    return `**${inline(textOf(one, "role"))}**, ${inline(textOf(one, "created_at"))}${unfinished}\n\n${quote(textOf(one, "text"))}\n\n`
  },
  approval: (one) =>
    `**Asked ${inline(textOf(one, "asked_at"))}**\n\n${quote(textOf(one, "question"))}\n\n${inline(answerOf(one))}\n\n`,
  value: (json) => `${block(json)}\n\n`,
  table: "| | When | What | |\n| --- | --- | --- | --- |\n",
  entry,
  tableEnd: "\n",
  cut: (note) => `**${inline(note)}**\n\n`,
  closing: (document) => {
    const integrity = partOf(document.head, "integrity")
    return [
      noteOf(document),
      `The record as JSON, made at the same moment, is signed with Ed25519 by the key \`${textOf(integrity, "key_id")}\`.`,
      `SHA\\-256: \`${textOf(integrity, "sha256")}\``,
      `Signature: \`${textOf(integrity, "signature")}\`\n`
    ].join("\n\n")
  }
}

/** The record as Markdown, piece by piece. */
export const recordMarkdown = (document: RecordDocument): Generator<string> =>
  readable(document, FORMAT, READABLE_BYTES_MAX)
