/** A record to read as Markdown. Whatever a run says stays text: it can make no heading, link or tag. */
import { answerOf, factsOf, jsonOf, noteOf, type Part, partOf, partsOf, textOf, titleOf } from "./recordParts.ts"

/** Text on one line in which nothing means anything to Markdown or HTML. */
const inline = (text: string): string =>
  text.replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, " ").replaceAll(/[\\`*_{}[\]()#+\-.!|<>~&:@=$^"']/g, "\\$&")

/** Text of several lines as a quotation. */
const quote = (text: string): string =>
  text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => `> ${inline(line)}`)
    .join("  \n")

/** A block of code whose fence no text inside of it can close. */
const block = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}json\n${text}\n${fence}`
}

const section = (title: string, parts: ReadonlyArray<string>): ReadonlyArray<string> =>
  parts.length === 0 ? [] : [`## ${title}`, ...parts]

const value = (record: Part, name: string): ReadonlyArray<string> => {
  const json = jsonOf(partOf(record, "run"), name)
  return json === undefined ? [] : [block(json)]
}

const message = (one: Part): string => {
  const unfinished = one["is_complete"] === false ? ", unfinished" : ""
  return `**${inline(textOf(one, "role"))}**, ${inline(textOf(one, "created_at"))}${unfinished}\n\n${quote(textOf(one, "text"))}`
}

const approval = (one: Part): string =>
  `**Asked ${inline(textOf(one, "asked_at"))}**\n\n${quote(textOf(one, "question"))}\n\n${inline(answerOf(one))}`

const entry = (one: Part): string => {
  const data = jsonOf(one, "data")?.replaceAll(/\s*\n\s*/g, " ") ?? ""
  return `| ${textOf(one, "seq")} | ${inline(textOf(one, "created_at"))} | ${inline(textOf(one, "type"))} | ${data === "{}" ? "" : inline(data)} |`
}

/** The record as Markdown. */
export const recordMarkdown = (record: Part): string => {
  const facts = factsOf(record).map(([name, fact]) => `| ${name} | ${inline(fact)} |`)
  const timeline = partsOf(record, "timeline").map(entry)
  const integrity = partOf(record, "integrity")
  const parts = [
    `# ${inline(titleOf(record))}`,
    ["| | |", "| --- | --- |", ...facts].join("\n"),
    ...section("Messages", partsOf(record, "messages").map(message)),
    ...section("Questions", partsOf(record, "approvals").map(approval)),
    ...section("Input", value(record, "input")),
    ...section("Result", value(record, "result")),
    ...section("Timeline", [["| | When | What | |", "| --- | --- | --- | --- |", ...timeline].join("\n")]),
    "## Integrity",
    noteOf(record),
    `The record as JSON, made at the same moment, is signed with Ed25519 by the key \`${textOf(integrity, "key_id")}\`.`,
    `SHA\\-256: \`${textOf(integrity, "sha256")}\``,
    `Signature: \`${textOf(integrity, "signature")}\``
  ]
  return `${parts.join("\n\n")}\n`
}
