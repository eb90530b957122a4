/** Holds every metric to the text format of Prometheus and to its conventions. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { VERSION } from "@agent-platform/process"
import { measure } from "@agent-platform/toolkit"
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { assert, describe, it } from "vitest"
import { expositionProblems, readExposition } from "./exposition.ts"
import { MEASURES } from "./measures.ts"
import { hasPromtool, NO_PROMTOOL, promtool } from "./promtool.ts"
import { TOP_FOLDER } from "./repository.ts"

/** A page with two series of each measure, one of which has labels that must be escaped. */
const pageOfAll = () =>
  Effect.runPromise(
    Effect.gen(function* () {
      for (const one of MEASURES) {
        for (const value of ["plain", 'a "quoted" \\ word']) {
          yield* measure(one, Object.fromEntries(one.labels.map((label) => [label, value])), 1.5)
        }
      }
      return yield* PrometheusMetrics.format()
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

const GOOD = `# HELP wait_seconds How long.
# TYPE wait_seconds histogram
wait_seconds_bucket{le="1"} 1
wait_seconds_bucket{le="+Inf"} 2
wait_seconds_sum 3.5
wait_seconds_count 2
# HELP calls_total How often.
# TYPE calls_total counter
calls_total{by="a \\"b\\""} 1
calls_total{by="c"} 2
`

describe("the metrics of all processes", () => {
  it("are a page that Prometheus reads, under names by its conventions", async () => {
    const page = await pageOfAll()
    assert.deepStrictEqual(expositionProblems(page), [])
    const names = readExposition(page).families.map(({ name }) => name)
    assert.sameMembers(
      names,
      MEASURES.map(({ name }) => name)
    )
  })

  it("are found in order by promtool, where that is installed", async (context) => {
    if (!hasPromtool) return context.skip(NO_PROMTOOL)
    assert.strictEqual(await promtool(["check", "metrics"], await pageOfAll()), "")
  })

  it("name the release that the manifests name", () => {
    const { version } = JSON.parse(readFileSync(join(TOP_FOLDER, "package.json"), "utf8"))
    assert.strictEqual(VERSION, version)
  })
})

describe("the reader of pages of metrics", () => {
  it("takes a page that is in order", () => {
    assert.deepStrictEqual(expositionProblems(GOOD), [])
  })

  const faults: ReadonlyArray<readonly [what: string, from: string | RegExp, to: string, problem: RegExp]> = [
    ["a counter that does not say so", /calls_total/g, "calls", /counters end in _total/],
    ["a gauge that ends as a counter", "calls_total counter", "calls_total gauge", /counters end in _total/],
    ["a metric that nothing explains", "# HELP calls_total How often.\n", "", /nothing says what it means/],
    ["a TYPE that comes twice", "# TYPE calls_total counter\n", "# TYPE calls_total counter\n".repeat(2), /TYPE comes/],
    ["a HELP that comes late", 'calls_total{by="c"} 2\n', "# HELP calls_total Late.\n", /HELP comes again/],
    ["a series that comes twice", 'by="c"', 'by="a \\"b\\""', /a series comes twice/],
    ["milliseconds", /wait_seconds/g, "wait_milliseconds", /not a base unit/],
    ["a time without a unit", /wait_seconds/g, "wait", /times are in _seconds/],
    ["an abbreviated unit", /wait_seconds/g, "call_ms", /abbreviated/],
    ["buckets that fall", '"+Inf"} 2', '"+Inf"} 0', /do not add up/],
    ["buckets without an end", 'wait_seconds_bucket{le="+Inf"} 2\n', "", /do not add up/],
    ["a sample below another metric", "wait_seconds_sum", "other_sum", /not below the TYPE/],
    ["a quotation mark that is not escaped", '\\"b\\"', '"b"', /not a sample/],
    ["a value that is none", "} 1\ncalls", "} one\ncalls", /not a sample/],
    ["the label of a summary", 'by="c"', 'quantile="c"', /quantile is for summaries/],
    ["a label that Prometheus has itself", 'by="c"', 'job="c"', /labels of that name/],
    ["a last line that does not end", /\n$/, "", /does not end/]
  ]
  for (const [what, from, to, problem] of faults) {
    it(`finds ${what}`, () => {
      const broken = GOOD.replace(from, to)
      assert.notStrictEqual(broken, GOOD)
      assert.isTrue(
        expositionProblems(broken).some((one) => problem.test(one)),
        expositionProblems(broken).join("\n")
      )
    })
  }
})
