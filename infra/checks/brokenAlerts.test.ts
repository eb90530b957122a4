/** Holds the tests of the alerts to alerts that are broken. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse, stringify } from "yaml"
import { readInfra } from "./deployment.ts"
import { hasPromtool, NO_PROMTOOL, promtool } from "./promtool.ts"

interface Rules {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<{ readonly alert?: string }> }>
}

interface RuleTests {
  readonly tests: ReadonlyArray<{ readonly alert_rule_test: ReadonlyArray<unknown> }>
}

const { groups } = parse(readInfra("prometheus/alerts.yaml")) as Rules
const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined)
const { tests } = parse(readInfra("prometheus/alerts.test.yaml")) as RuleTests

describe("infra/prometheus/alerts.test.yaml", () => {
  it("is tested so that promtool notices each alert that never fires, and each that always does", async (context) => {
    if (!hasPromtool) return context.skip(NO_PROMTOOL)
    const folder = mkdtempSync(join(tmpdir(), "agent-platform-alerts-"))
    try {
      // Alerts that are broken so read no series: their tests then stand beside each other, in a tenth of the time.
      const together = {
        interval: "1m",
        input_series: [],
        alert_rule_test: tests.flatMap((one) => one.alert_rule_test)
      }
      const broken = { rule_files: ["alerts.yaml"], evaluation_interval: "1m", tests: [together] }
      writeFileSync(join(folder, "alerts.test.yaml"), stringify(broken))
      const saidOf = (expr: string) => {
        const rules = alerts.map((alert) => ({ ...alert, expr, for: "0m" }))
        writeFileSync(join(folder, "alerts.yaml"), stringify({ groups: [{ name: "broken", rules }] }))
        return promtool(["test", "rules", join(folder, "alerts.test.yaml")])
      }
      assert.include(await saidOf("sum("), "could not parse expression")
      const [never, always] = [await saidOf("vector(0) > 1"), await saidOf("vector(1)")]
      for (const { alert = "" } of alerts) {
        assert.include(never, `alertname: ${alert},`)
        assert.include(always, `alertname: ${alert},`)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
