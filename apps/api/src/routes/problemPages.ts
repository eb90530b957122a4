/** A page for each problem code, for people who follow the `type` of a problem. */
import { isProblemCode, PROBLEMS, type ProblemCode, problemKind } from "@agent-platform/contract"

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a}" +
  "code{background:#f2f2f2;padding:.1em .3em;border-radius:3px}dt{font-weight:600}dd{margin:0 0 .75rem}"

const html = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${title}</title><style>${STYLE}</style></head><body>${body}</body></html>`

/** The page about a problem code; undefined for an unknown code. */
export const problemPage = (code: string): string | undefined => {
  if (!isProblemCode(code)) return undefined
  const { explanation, retryable, status, title } = problemKind(code)
  return html(
    title,
    `<h1>${title}</h1><p>${explanation.replaceAll("<", "&lt;")}</p><dl><dt>Code</dt><dd><code>${code}</code></dd>` +
      `<dt>Status</dt><dd>${status}</dd><dt>Worth repeating unchanged</dt><dd>${retryable ? "yes, later" : "no"}</dd></dl>` +
      `<p><a href="../problems">All problems</a></p>`
  )
}

const rows = (Object.keys(PROBLEMS) as Array<ProblemCode>)
  .sort((one, two) => problemKind(one).status - problemKind(two).status)
  .map((code) => {
    const { status, title } = problemKind(code)
    return `<dt>${status} <a href="problems/${code}"><code>${code}</code></a></dt><dd>${title}</dd>`
  })
  .join("")

/** The page that lists all problem codes. */
export const problemIndexPage: string = html("Problems", `<h1>Problems</h1><dl>${rows}</dl>`)
