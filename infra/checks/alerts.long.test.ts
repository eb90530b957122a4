/** Holds the rules for Prometheus to Prometheus' own checker, and each alert to the series of its tests. */
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { hasPromtool, NO_PROMTOOL, promtool } from "./promtool.ts"
import { TOP_FOLDER } from "./repository.ts"

const path = (name: string) => join(TOP_FOLDER, "infra/prometheus", name)

describe("infra/prometheus/alerts.yaml", () => {
  it("is found in order by promtool, and does what its tests say, where that is installed", async (context) => {
    if (!hasPromtool) return context.skip(NO_PROMTOOL)
    assert.strictEqual(await promtool(["check", "rules", path("alerts.yaml")]), "")
    assert.strictEqual(await promtool(["test", "rules", path("alerts.test.yaml")]), "")
  })
})
