/** The programs that a host runs or compiles. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** Imports every entry point and fails where one brings nothing. */
const importing = (entryPoints: ReadonlyArray<string>): string =>
  `for (const name of ${JSON.stringify(entryPoints)}) {
  const values = Object.keys(await import(name))
  if (values.length === 0) throw new Error(name + " exports nothing")
}
`

/** Contract suites as an adapter's author runs them, over the memory adapters; every other one is imported. */
const suites = (entryPoints: ReadonlyArray<string>): string =>
  `import { layer } from "@agent-platform/kernel/memory"
import { unitOfWorkContract } from "@agent-platform/kernel/testing"
import { expect, it } from "vitest"

unitOfWorkContract("an adapter of the host", layer)

it.each(${JSON.stringify(entryPoints)})("%s has suites", async (name) => {
  expect(Object.keys(await import(name)).some((value) => value.endsWith("Contract"))).toBe(true)
})
`

/** Names every entry point's types, and uses those of client and receiver as a caller does. */
const typed = (entryPoints: ReadonlyArray<string>): string =>
  `${entryPoints.map((name, index) => `import * as entry${index} from "${name}"`).join("\n")}
import { type Agent, createClient, type Run } from "@agent-platform/client"
import { type ReceivedEvent, verify } from "@agent-platform/receiver"

export const all = [${entryPoints.map((_, index) => `entry${index}`).join(", ")}]

export const triggered = async (): Promise<Run> => {
  const client = createClient({ baseUrl: "https://agents.example.com", apiKey: "k" })
  const agent: Agent = await client.agents.createAgent({ body: { name: "Greeter" } })
  // @ts-expect-error This must not compile: the packed types say that a run needs an agent.
  await client.runs.triggerRun({ body: {} })
  return client.runs.triggerRun({ body: { agent_id: agent.agent_id, message: "Hello" } })
}

export const received = (body: string, headers: Headers): Promise<ReceivedEvent> => verify(body, headers, "whsec_…")
`

const strict = (types: ReadonlyArray<string>) => ({
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
    module: "nodenext",
    moduleResolution: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    types
  },
  files: ["typed.ts"]
})

const isTesting = (entryPoint: string): boolean => entryPoint.endsWith("/testing")

/** Writes the programs into a host with these global types. Suites need a test runner, so a runtime alone does not import them. */
export const writePrograms = (
  host: string,
  entryPoints: ReadonlyArray<string>,
  types: ReadonlyArray<string> = []
): void => {
  const testing = entryPoints.filter(isTesting)
  writeFileSync(join(host, "importing.mjs"), importing(entryPoints.filter((name) => !isTesting(name))))
  writeFileSync(join(host, "typed.ts"), typed(entryPoints))
  writeFileSync(join(host, "tsconfig.json"), JSON.stringify(strict(types)))
  if (testing.length > 0) writeFileSync(join(host, "suites.test.mjs"), suites(testing))
}
