/** The lines that `npm start` prints. */
import { assert, describe, it } from "vitest"
import { tryOut } from "../tryOut.ts"

const BASE_URL = "http://127.0.0.1:8080"

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

  it("trigger no run where DEMO_AGENT is off, as the demo agent cannot run", () => {
    assert.deepStrictEqual(asked("off"), ["/api/v1/auth/me"])
  })
})
