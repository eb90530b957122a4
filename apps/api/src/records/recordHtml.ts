/** A record as a page to read and to print. It loads nothing, runs nothing, and holds the signed JSON. */
import { answerOf, factsOf, jsonOf, noteOf, type Part, partOf, partsOf, textOf, titleOf } from "./recordParts.ts"

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "")

/** JSON that can stand in a script element: nothing in it closes the element or opens a comment. */
const embedded = (record: Part): string =>
  JSON.stringify(record).replaceAll(/[<>&\u2028\u2029]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0")
    return `\\u${code}`
  })

const STYLE = `
:root{color-scheme:light}
body{font:15px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem;break-after:avoid}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #ddd}
th{font-weight:600;white-space:nowrap}td{overflow-wrap:anywhere}
.said{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid #999;margin:.25rem 0 1rem;padding:.1rem 0 .1rem .75rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f5f5f5;padding:.75rem;font-size:.85rem}
code{font-size:.85rem;overflow-wrap:anywhere}.when{color:#555}
@page{margin:18mm}@media print{body{margin:0;max-width:none}tr,.said{break-inside:avoid}}
`.replaceAll("\n", "")

const section = (title: string, content: string): string => (content === "" ? "" : `<h2>${title}</h2>${content}`)

const message = (one: Part): string =>
  `<div><strong>${escape(textOf(one, "role"))}</strong> <span class="when">${escape(textOf(one, "created_at"))}` +
  `${one["is_complete"] === false ? ", unfinished" : ""}</span><div class="said">${escape(textOf(one, "text"))}</div></div>`

const approval = (one: Part): string =>
  `<div><span class="when">Asked ${escape(textOf(one, "asked_at"))}</span>` +
  `<div class="said">${escape(textOf(one, "question"))}</div><p>${escape(answerOf(one))}</p></div>`

const entry = (one: Part): string => {
  const data = JSON.stringify(one["data"] ?? {})
  return (
    `<tr><td>${escape(textOf(one, "seq"))}</td><td>${escape(textOf(one, "created_at"))}</td>` +
    `<td>${escape(textOf(one, "type"))}</td><td>${data === "{}" ? "" : `<code>${escape(data)}</code>`}</td></tr>`
  )
}

const value = (record: Part, name: string): string => {
  const json = jsonOf(partOf(record, "run"), name)
  return json === undefined ? "" : `<pre>${escape(json)}</pre>`
}

/** The record as a page of HTML. */
export const recordHtml = (record: Part): string => {
  const facts = factsOf(record).map(([name, fact]) => `<tr><th scope="row">${name}</th><td>${escape(fact)}</td></tr>`)
  const integrity = partOf(record, "integrity")
  const title = escape(titleOf(record))
  const timeline = partsOf(record, "timeline").map(entry).join("")
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head><body>` +
    `<h1>${title}</h1><table>${facts.join("")}</table>` +
    section("Messages", partsOf(record, "messages").map(message).join("")) +
    section("Questions", partsOf(record, "approvals").map(approval).join("")) +
    section("Input", value(record, "input")) +
    section("Result", value(record, "result")) +
    section("Timeline", `<table>${timeline}</table>`) +
    section(
      "Integrity",
      `<p>${escape(noteOf(record))} The record as JSON, which this page holds, is signed with Ed25519 by the key ` +
        `<code>${escape(textOf(integrity, "key_id"))}</code>.</p><p>SHA-256 <code>${escape(textOf(integrity, "sha256"))}` +
        `</code><br>Signature <code>${escape(textOf(integrity, "signature"))}</code></p>`
    ) +
    `<script type="application/json" id="record">${embedded(record)}</script></body></html>`
  )
}
