/** The client stands alone: it runs wherever there is a web platform, and has no dependencies. */
import { readdirSync, readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { createContext, runInContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"

const FOLDER = new URL("../src/client/", import.meta.url)
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ts"))
const source = (name: string) => readFileSync(new URL(name, FOLDER), "utf8")

const IMPORT = /^(?:import|export)\s[^"]*?from "([^"]+)"$/gms

/** The modules of the client that a file needs at run time, by name, and whatever else it imports. */
const importsOf = (name: string) =>
  [...stripTypeScriptTypes(source(name)).matchAll(IMPORT)].map(([, specifier = ""]) => specifier)

/** The files in an order in which each follows those that it imports. */
const ordered = (name: string, seen: Set<string> = new Set()): ReadonlyArray<string> => {
  if (seen.has(name)) return []
  seen.add(name)
  return [...importsOf(name).flatMap((specifier) => ordered(specifier.replace("./", ""), seen)), name]
}

/** All of it as one script without modules. */
const script = (entry: string) =>
  ordered(entry)
    .map((name) =>
      stripTypeScriptTypes(source(name))
        .replaceAll(IMPORT, "")
        .replaceAll(/^export /gm, "")
    )
    .join("\n")

describe("the client", () => {
  it("imports nothing at run time but its own files", () => {
    for (const name of files) {
      for (const specifier of importsOf(name)) assert.match(specifier, /^\.\/\w+\.ts$/, `${name}: ${specifier}`)
    }
  })

  it("works in a realm that has what browsers have, and nothing of Node's", async () => {
    const asked: Array<unknown> = []
    const context = createContext({
      AbortController,
      TextDecoder,
      URLSearchParams,
      clearTimeout,
      crypto,
      setTimeout,
      fetch: async (url: string, { body, headers, method }: RequestInit) => {
        asked.push([method, url, body, Object.keys(headers ?? {}).toSorted()])
        if (url.endsWith("/logs")) return new Response('id: 1\nevent: run.failed\ndata: {"type":"run.failed"}\n\n')
        return Response.json({ run_id: "r1" }, { status: 202 })
      }
    })
    const found = await runInContext(
      `${script("createClient.ts")}
      (async () => {
        const client = createClient({ baseUrl: "https://agents.test", apiKey: "k" })
        const run = await client.runs.triggerRun({ body: { agent_id: "a" } })
        const types = []
        for await (const event of client.followRun(run.run_id)) types.push(event.type)
        return types.join()
      })()`,
      context
    )
    assert.strictEqual(found, "run.failed")
    assert.deepStrictEqual(asked, [
      [
        "POST",
        "https://agents.test/api/v1/runs/",
        '{"agent_id":"a"}',
        ["accept", "authorization", "content-type", "idempotency-key"]
      ],
      ["GET", "https://agents.test/api/v1/runs/r1/logs", undefined, ["accept", "authorization"]]
    ])
  })
})
