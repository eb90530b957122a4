/** Holds the rules for Prometheus and the dashboard to the metrics that there are, and alerts to their runbooks. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { readInfra } from "./deployment.ts"
import { MEASURES } from "./measures.ts"
import { promqlProblems } from "./promql.ts"
import { TOP_FOLDER } from "./repository.ts"

interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

interface RuleTest {
  readonly name: string
  readonly input_series: ReadonlyArray<{ readonly series: string; readonly values: string }>
  readonly alert_rule_test: ReadonlyArray<{
    readonly alertname: string
    readonly eval_time: string
    readonly exp_alerts: ReadonlyArray<{
      readonly exp_labels: Readonly<Record<string, string>>
      readonly exp_annotations: Readonly<Record<string, string>>
    }>
  }>
}

const { groups } = parse(readInfra("prometheus/alerts.yaml")) as {
  readonly groups: ReadonlyArray<{ readonly name: string; readonly rules: ReadonlyArray<Rule> }>
}
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)
const recorded = new Set(rules.flatMap(({ record }) => record ?? []))
const tests = (parse(readInfra("prometheus/alerts.test.yaml")) as { readonly tests: ReadonlyArray<RuleTest> }).tests

describe("infra/prometheus/alerts.yaml", () => {
  it("asks only for metrics, labels and recorded series that there are", () => {
    assert.isAbove(alerts.length, 15)
    const problems = rules.flatMap(({ alert, expr, record }) =>
      promqlProblems(expr, MEASURES, recorded).map((problem) => `${alert ?? record}: ${problem}`)
    )
    assert.deepStrictEqual(problems, [])
  })

  it("says of each alert how urgent it is, what it means, and where its runbook is", () => {
    const names = alerts.map(({ alert }) => alert)
    assert.strictEqual(new Set(names).size, names.length)
    for (const { alert = "", annotations = {}, labels = {} } of alerts) {
      assert.include(["page", "ticket"], labels["severity"], alert)
      assert.isAbove((annotations["summary"] ?? "").length, 10, alert)
      assert.strictEqual(annotations["runbook_url"], `docs/runbooks.md#${alert.toLowerCase()}`)
    }
  })

  it("has a section in docs/runbooks.md for each alert, and none for another", () => {
    const page = join(TOP_FOLDER, "docs/runbooks.md")
    assert.isTrue(existsSync(page))
    const headings = [...readFileSync(page, "utf8").matchAll(/^## (AgentPlatform\w+)$/gm)].map(([, name]) => name)
    assert.sameMembers(
      headings,
      alerts.map(({ alert }) => alert)
    )
  })

  it("has for each alert a test in which it fires, and one in which it does not", () => {
    const checks = tests.flatMap(({ alert_rule_test }) => alert_rule_test)
    for (const { alert = "", annotations, labels } of alerts) {
      const mine = checks.filter(({ alertname }) => alertname === alert)
      const expected = mine.flatMap(({ exp_alerts }) => exp_alerts)
      assert.isNotEmpty(expected, `${alert} never fires`)
      assert.isTrue(
        mine.some(({ exp_alerts }) => exp_alerts.length === 0),
        `${alert} never rests`
      )
      for (const { exp_annotations, exp_labels } of expected) {
        assert.deepStrictEqual(exp_annotations, annotations, alert)
        assert.strictEqual(exp_labels["severity"], labels?.["severity"], alert)
      }
    }
    for (const { alertname } of checks)
      assert.isTrue(
        alerts.some(({ alert }) => alert === alertname),
        alertname
      )
  })

  it("is tested with series that the processes have", () => {
    const series = tests.flatMap(({ input_series }) => input_series.map((one) => one.series))
    assert.deepStrictEqual(
      series.flatMap((one) => promqlProblems(one, MEASURES)),
      []
    )
  })
})

describe("infra/grafana/dashboard.json", () => {
  it("asks only for metrics and labels that there are", () => {
    const {
      panels
    }: { readonly panels: ReadonlyArray<{ readonly targets?: ReadonlyArray<{ readonly expr: string }> }> } = JSON.parse(
      readInfra("grafana/dashboard.json")
    )
    const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    assert.isAbove(asked.length, 20)
    assert.deepStrictEqual(
      asked.flatMap((expr) => promqlProblems(expr, MEASURES).map((problem) => `${problem}: ${expr}`)),
      []
    )
  })
})

describe("the reader of expressions", () => {
  const cases: ReadonlyArray<readonly [expression: string, problem: RegExp | undefined]> = [
    ['max by (instance) (agent_platform_runs_ended_total{outcome="failed"}) > 3', undefined],
    ["rate(agent_platform_http_request_duration_seconds_bucket[5m])", undefined],
    ["agent_platform:recorded > 1", undefined],
    ["agent_platform:unrecorded > 1", /there is no metric agent_platform:unrecorded/],
    ["rate(agent_platform_runs_finished_total[5m])", /there is no metric agent_platform_runs_finished_total/],
    ["rate(agent_platform_runs_ended_total_bucket[5m])", /there is no metric/],
    ["rate(agent_platform_http_request_duration_seconds[5m])", /is a histogram/],
    ['agent_platform_runs_ended_total{tenant="x"}', /has no label tenant/],
    ['agent_platform_runs_ended_total{le="1"}', /has no label le/],
    ["sum by (tenant) (agent_platform_runs_ended_total)", /nothing in it has a label tenant/],
    ["sum(rate(agent_platform_runs_ended_total[5m])", /brackets do not match/]
  ]
  for (const [expression, problem] of cases) {
    it(`${problem === undefined ? "takes" : "refuses"} ${expression}`, () => {
      const problems = promqlProblems(expression, MEASURES, new Set(["agent_platform:recorded"]))
      if (problem === undefined) assert.deepStrictEqual(problems, [])
      else
        assert.isTrue(
          problems.some((one) => problem.test(one)),
          problems.join("\n")
        )
    })
  }
})
