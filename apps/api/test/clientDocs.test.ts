/** The examples of docs/client.md, run one after another against a server as they stand there. */
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import * as entry from "@agent-platform/client"
import * as contract from "@agent-platform/contract"
import { assert, layer } from "@effect/vitest"
import * as effect from "effect"
import { Effect } from "effect"
import * as http from "effect/http"
import { layerWithWorkers, TestApi } from "./support.ts"

const MODULES: Readonly<Record<string, object>> = {
  "@agent-platform/contract": contract,
  "@agent-platform/client": entry,
  effect,
  "effect/http": http
}

const IMPORT = /^import \{ ([^}]+) \} from "([^"]+)"$/gm

const text = readFileSync(new URL("../../../docs/client.md", import.meta.url), "utf8")
const examples = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code)

/** Runs all of them as one program, and answers what they print. */
const run = async (baseUrl: string, apiKey: string): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
  const code = examples.join("\n")
  const imported = new Map<string, unknown>()
  for (const [, names = "", from = ""] of code.matchAll(IMPORT)) {
    for (const name of names.split(", ")) imported.set(name, (MODULES[from] as Record<string, unknown>)[name])
  }
  const printed: Array<ReadonlyArray<unknown>> = []
  const body = stripTypeScriptTypes(code.replaceAll(IMPORT, ""))
    .replaceAll("https://agents.example.com", baseUrl)
    .replaceAll("apk_ws_…", apiKey)
  const AsyncFunction = (async () => undefined).constructor as new (
    ...parts: ReadonlyArray<string>
  ) => (...values: ReadonlyArray<unknown>) => Promise<void>
  const console = { log: (...values: ReadonlyArray<unknown>) => printed.push(values) }
  await new AsyncFunction("console", ...imported.keys(), body)(console, ...imported.values())
  return printed
}

layer(layerWithWorkers, { excludeTestServices: true })("docs/client.md", (it) => {
  it.effect("has examples that do what they say", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const printed = yield* Effect.promise(() => run(api.url, workspaceKey))
      const lines = printed.map((values) => values.join(" "))
      assert.strictEqual(lines[0], "1 run.queued")
      assert.include(lines, "succeeded You said: Hello")
      assert.include(lines, "changed failed out of words")
      assert.include(lines, "404 not_found")
      assert.strictEqual(lines.at(-1), "Greeter")
    })
  )
})
