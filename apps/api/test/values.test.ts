/** Pure parts of the server. */

import { canonicalJson } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { preferred } from "../src/edge/accept.ts"
import { makeAddresses } from "../src/edge/addresses.ts"
import { isDatabaseAway } from "../src/edge/isDatabaseAway.ts"
import { canonicalUsd } from "../src/views/money.ts"

describe("the preferred format", () => {
  const offered = ["text/event-stream", "application/json", "application/x-ndjson"] as const
  const cases: ReadonlyArray<readonly [string | undefined, string | undefined]> = [
    [undefined, "text/event-stream"],
    ["", "text/event-stream"],
    ["*/*", "text/event-stream"],
    ["application/json", "application/json"],
    ["APPLICATION/JSON; q=1.0", "application/json"],
    ["application/*", "application/json"],
    ["application/*, application/json;q=0", "application/x-ndjson"],
    ["*/*;q=0.1, application/x-ndjson", "application/x-ndjson"],
    ["text/event-stream;q=0, */*", "application/json"],
    ["text/html", undefined],
    ["application/json;q=0", undefined],
    ["application/json;q=nonsense", undefined],
    [",,", undefined]
  ]
  for (const [accept, expected] of cases) {
    it(`of ${JSON.stringify(accept)} is ${expected}`, () => assert.strictEqual(preferred(accept, offered), expected))
  }
})

describe("canonical JSON", () => {
  it("sorts members by UTF-16 code units and drops white space", () => {
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 }
    // The order of RFC 8785, 3.2.3.
    const names = [...canonicalJson(value).matchAll(/:(\d)/g)].map(([, digit]) => Number(digit))
    assert.deepStrictEqual(names, [2, 4, 6, 7, 1, 5, 3])
  })

  it("writes numbers and texts as ECMAScript does", () => {
    assert.strictEqual(
      canonicalJson({ numbers: [1e30, 4.5, 2e-3, 1e-27, -0, 1.0], string: '\u20ac$\u000f\nA\'B"\\\\"/' }),
      '{"numbers":[1e+30,4.5,0.002,1e-27,0,1],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
  })
})

describe("money", () => {
  it("has 2 to 12 decimals and no needless zeros", () => {
    for (const [given, shown] of [
      ["0", "0.00"],
      ["0.000000000000", "0.00"],
      ["00012.5", "12.50"],
      ["12.500000000000", "12.50"],
      ["0.000270000000", "0.00027"],
      ["1.000000000001", "1.000000000001"]
    ] as const)
      assert.strictEqual(canonicalUsd(given), shown)
  })
})

describe("a database that is away", () => {
  it("is distinguished from a fault of ours by the reason inside", () => {
    assert.isTrue(isDatabaseAway({ reason: { cause: { code: "57P03" } } }))
    assert.isTrue(isDatabaseAway({ cause: { cause: { cause: { code: "08006" } } } }))
    for (const timeout of ["57014", "55P03", "25P03"])
      assert.isTrue(isDatabaseAway({ cause: { code: timeout } }), timeout)
    assert.isTrue(isDatabaseAway({ _tag: "SqlError", reason: { _tag: "ConnectionError" } }))
    for (const other of [undefined, null, "ECONNREFUSED", new Error("ECONNREFUSED"), { code: "23505" }, { code: 8 }]) {
      assert.isFalse(isDatabaseAway(other))
    }
    const endless: { cause?: unknown } = {}
    endless.cause = endless
    assert.isFalse(isDatabaseAway(endless))
  })
})

describe("the methods of an address", () => {
  const addressOf = makeAddresses(["/healthz", "/problems/:code"])
  const methodsOf = (path: string) => addressOf(path).methods
  it("are those of the contract and of the others, with HEAD beside GET", () => {
    assert.deepStrictEqual(methodsOf("/api/v1/agents"), ["GET", "HEAD", "POST"])
    assert.deepStrictEqual(methodsOf("/api/v1/runs"), ["POST", "GET", "HEAD"])
    assert.deepStrictEqual(methodsOf("/api/v1/runs/"), ["POST", "GET", "HEAD"])
    assert.deepStrictEqual(methodsOf("/problems/x/"), ["GET", "HEAD"])
    for (const path of ["/", "", "/problems/x/y", "/api/v1/runs//", "/healthz/x"])
      assert.deepStrictEqual(methodsOf(path), [])
  })

  it("are its own alone where another address has a parameter in the place of its word", () => {
    for (const path of ["/api/v1/org/webhooks/replays", "/api/v1/org/webhooks/replays/test", "/api/v1/runs/stream"]) {
      assert.deepStrictEqual(methodsOf(path), ["GET", "HEAD"], path)
    }
    assert.deepStrictEqual(methodsOf("/api/v1/org/webhooks/x/test"), ["POST"])
  })

  it("come with its template, a literal address before one with a parameter", () => {
    assert.strictEqual(addressOf("/api/v1/runs/x/logs").template, "/api/v1/runs/{run_id}/logs")
    assert.strictEqual(addressOf("/api/v1/org/webhooks/stream").template, "/api/v1/org/webhooks/stream")
    assert.strictEqual(addressOf("/problems/x").template, "/problems/{code}")
    // One that fits two, each with a parameter: the one whose literal comes first.
    const both = "/api/v1/org/webhooks/replays/deliveries"
    assert.strictEqual(addressOf(both).template, "/api/v1/org/webhooks/replays/{replay_id}")
    assert.deepStrictEqual(methodsOf(both), ["GET", "HEAD"])
    assert.strictEqual(addressOf("/nothing").template, "unknown")
  })
})
