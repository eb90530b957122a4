/** The README's example, by the client that each generator makes with its default options: trigger a run, and read what it said. */

import { readFileSync } from "node:fs"

const START = `const baseUrl = process.env["BASE_URL"] ?? ""
const key = process.env["API_KEY"] ?? ""
const agentId = process.env["AGENT_ID"] ?? ""
`

/** TypeScript programs by the file that they stand in. Each prints the run's message, as generated types know it. */
export const TYPESCRIPT: Readonly<Record<string, string>> = {
  "openapi-typescript.ts": `import createClient from "openapi-fetch"
import type { paths } from "./generated/openapi-typescript.js"

${START}
const client = createClient<paths>({ baseUrl, headers: { "X-API-Key": key } })
const body = { agent_id: agentId, message: "Hello", wait_seconds: 30 }
const { data, error } = await client.POST("/api/v1/runs/", { body })
if (error !== undefined) throw new Error(error.code)
const message: string | null = data.message
const log = await client.GET("/api/v1/runs/{run_id}/logs", {
  params: { path: { run_id: data.run_id } },
  headers: { accept: "application/json" }
})
const page = log.data
if (page === undefined || typeof page === "string" || !("items" in page)) throw new Error("No page of the log")
const said = page.items.flatMap((event) => (event.type === "message.completed" ? [event.data.text] : []))
if (said[0] !== message) throw new Error("The log says something else")
console.log(message)
`,
  "hey-api.ts": `import { createClient } from "./generated/hey-api/client/index.js"
import { getRun, triggerRun } from "./generated/hey-api/index.js"

${START}
const client = createClient({ baseUrl, headers: { "X-API-Key": key } })
const body = { agent_id: agentId, message: "Hello", wait_seconds: 30 }
const { data: run } = await triggerRun({ client, body, throwOnError: true })
const { data } = await getRun({ client, path: { run_id: run.run_id }, throwOnError: true })
const message: string | null = data.message
console.log(message)
`,
  "orval.ts": `import axios from "axios"
import { getRun, triggerRun } from "./generated/orval.js"

${START}
axios.defaults.baseURL = baseUrl
axios.defaults.headers.common["X-API-Key"] = key
const { data: run } = await triggerRun({ agent_id: agentId, message: "Hello", wait_seconds: 30 })
const { data } = await getRun(run.run_id)
const message: string | null = data.message
console.log(message)
`
}

/** The one in Python, as docs/client.md shows it; it is typed strictly as well. */
export const PYTHON =
  /```python\n([\s\S]*?)```/.exec(readFileSync(new URL("../../../docs/client.md", import.meta.url), "utf8"))?.[1] ?? ""
