/** A record as a page to read and to print. It loads nothing, runs nothing, and holds the signed JSON where that is not too large. */

import { inBlocks } from "./blocks.ts"
import { READABLE_BYTES_MAX, type RecordFormat, readable } from "./readable.ts"
import { canonicalPieces, type RecordDocument } from "./recordDocument.ts"
import { answerOf, noteOf, type Part, partOf, textOf } from "./recordParts.ts"

const escape = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")

/** JSON with escapes that mean the same. To verify it, it is parsed and written in canonical form again, without these escapes. */
const inScript = (json: string): string =>
  json
    .replaceAll("&", "\\u0026")
    .replaceAll("<", "\\u003c")
    .replaceAll(">", "\\u003e")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")

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

const opening = (name: string, facts: ReadonlyArray<readonly [string, string]>): string => {
  const title = escape(name)
  const rows = facts.map(([fact, value]) => `<tr><th scope="row">${fact}</th><td>${escape(value)}</td></tr>`)
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head><body>` +
    `<h1>${title}</h1><table>${rows.join("")}</table>`
  )
}

const closing = (document: RecordDocument, holdsJson: boolean): string => {
  const integrity = partOf(document.head, "integrity")
  const where = holdsJson ? "which this page holds" : "which is too large for this page"
  return (
    `<p>${escape(noteOf(document))} The record as JSON, ${where}, is signed with Ed25519 by the key ` +
    `<code>${escape(textOf(integrity, "key_id"))}</code>.</p><p>SHA-256 <code>${escape(textOf(integrity, "sha256"))}` +
    `</code><br>Signature <code>${escape(textOf(integrity, "signature"))}</code></p>`
  )
}

const formatOf = (holdsJson: boolean): RecordFormat => ({
  opening,
  heading: (title) => `<h2>${title}</h2>`,
  message,
  approval,
  value: (json) => `<pre>${escape(json)}</pre>`,
  table: "<table>",
  entry,
  tableEnd: "</table>",
  cut: (note) => `<p class="cut"><strong>${escape(note)}</strong></p>`,
  closing: (document) => closing(document, holdsJson)
})

const SCRIPT = '<script type="application/json" id="record">'

/** Most bytes of the embedded JSON: half of the page. */
export const EMBEDDED_BYTES_MAX = READABLE_BYTES_MAX / 2

/** The canonical form as it can stand in a script element: nothing in it closes the element or opens a comment. */
export function* embedded(document: RecordDocument): Generator<string> {
  // A block may end inside of a character, the rest of which is in the next one.
  const decoder = new TextDecoder()
  for (const block of inBlocks(canonicalPieces(document))) {
    yield inScript(decoder.decode(block, { stream: true }))
  }
}

/** The record as a page of HTML, piece by piece. `embeddedBytes` is how long `embedded` is; too much is left out. */
export function* recordHtml(document: RecordDocument, embeddedBytes: number): Generator<string> {
  const holdsJson = embeddedBytes <= EMBEDDED_BYTES_MAX
  const bytesMax = READABLE_BYTES_MAX - (holdsJson ? embeddedBytes : 0)
  yield* readable(document, formatOf(holdsJson), bytesMax)
  if (holdsJson) {
    yield SCRIPT
    yield* embedded(document)
    yield "</script>"
  }
  yield "</body></html>"
}
