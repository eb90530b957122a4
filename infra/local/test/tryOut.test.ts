/** The lines that `npm start` prints. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { makeStartLink } from "../startLink.ts"
import { tryOut } from "../tryOut.ts"

const BASE_URL = "http://127.0.0.1:8080"

const IDENTITY = { organization_id: "o", org_key: "", workspace_id: "w", workspace_key: "", agent_id: "" }

/** The addresses that the lines ask, without what their variables hold. */
const asked = (demoAgent: string) =>
  tryOut({ baseUrl: BASE_URL, demoAgent }, "/checkout", "/checkout/.data", undefined)
    .split("\n")
    .flatMap((line) => line.match(/curl -\w+ "?http:\/\/127\.0\.0\.1:8080([^ "]+)/)?.[1] ?? [])

describe("the lines to try", () => {
  it.each(["full", "safe"])("trigger a run and follow it where DEMO_AGENT is %s", (demoAgent) => {
    const run = "/api/v1/runs/$RUN"
    assert.deepStrictEqual(asked(demoAgent), ["/api/v1/runs/", `${run}?wait_seconds=10`, `${run}/logs`])
  })

  it("begin with the link that signs in, where there is one", () => {
    const at = (link?: string) => tryOut({ baseUrl: BASE_URL, demoAgent: "full" }, "/checkout", "/checkout/.data", link)
    const { setting, url } = makeStartLink(BASE_URL, IDENTITY, 9080, "/check out/.data/credentials.json", 1_000)
    assert.include(at(url), `\n  ${url}\n`)
    assert.notInclude(at(), "#start=")
    const [hash, organization, workspace, end, port, ...file] = setting.split(" ")
    const code = url.slice(`${BASE_URL}/#start=`.length)
    assert.strictEqual(hash, createHash("sha256").update(code).digest("hex"))
    assert.deepStrictEqual([organization, workspace, end, port], ["o", "w", "601000", "9080"])
    assert.strictEqual(file.join(" "), "/check out/.data/credentials.json")
    assert.notStrictEqual(makeStartLink(BASE_URL, IDENTITY, 9080, "/credentials.json").url, url)
  })

  it("trigger no run where DEMO_AGENT is off, as the demo agent cannot run", () => {
    assert.deepStrictEqual(asked("off"), ["/api/v1/auth/me"])
  })
})
