import { assert, describe, it } from "vitest"
import { bodyCases } from "./bodyCases.ts"
import { growthFaultsOf, type Point, pointFaultsOf } from "./bounds.ts"
import { FULL, SHORT } from "./cases.ts"
import { operations, placesOf } from "./contractWalk.ts"
import { documentWith, soundOf } from "./documents.ts"
import { headCases } from "./headCases.ts"
import type { Platform } from "./platform.ts"
import { BROKEN_BODIES, shapesOf } from "./shapes.ts"

const nowhere = { receiver: "http://127.0.0.1/receiver", provider: "http://127.0.0.1/provider" }
const nothing = {} as Platform

describe("the walk through the contract", () => {
  it("comes to every operation, in the short form too", () => {
    for (const scale of [FULL, SHORT]) {
      const cases = [...bodyCases(nothing, nowhere, scale), ...headCases(nothing, nowhere, scale)]
      const seen = new Set(cases.map(({ endpoint }) => endpoint))
      assert.sameMembers(
        [...seen],
        operations.map(({ name }) => name)
      )
    }
  })

  it("comes to every member of every body", () => {
    const found = operations.flatMap(({ body, name }) =>
      body === undefined ? [] : placesOf(body.schema).map(({ path }) => `${name} /${path.join("/")}`)
    )
    assert.includeMembers(found, [
      "POST /api/v1/agents /mcp_servers/0/headers/name",
      "POST /api/v1/runs/ /metadata",
      "POST /api/v1/runs/ /input",
      "POST /api/v1/auth/api-keys /rate_limit/limit",
      "POST /api/v1/hooks/{agent_id}/{token} /"
    ])
  })

  it("begins at bodies that the contract admits", () => {
    for (const { body, name } of operations) {
      if (body !== undefined) assert.isTrue(body.validate(soundOf(body.schema, {})), name)
    }
  })

  it("fills every place with JSON of about the size that is asked for", () => {
    for (const { body, name } of operations) {
      for (const place of body === undefined ? [] : placesOf(body.schema)) {
        for (const shape of shapesOf(place, {})) {
          const text = documentWith(body?.schema ?? {}, place, {})(shape.text(4_096))
          JSON.parse(text)
          assert.isAbove(text.length, 3_500, `${name} ${place.path} ${shape.name}`)
          assert.isBelow(text.length, 5_500, `${name} ${place.path} ${shape.name}`)
        }
      }
    }
    for (const { name, text } of BROKEN_BODIES) assert.throws(() => JSON.parse(text(4_096)), undefined, undefined, name)
  })
})

describe("a bound", () => {
  const point = (cpuMillis: number, holdMillis = 1, outcome = "200"): Point => ({
    size: 1,
    outcome,
    spent: { api: { cpuMillis, holdMillis }, worker: { cpuMillis: 1, holdMillis: 0 } }
  })

  it("is broken by what more than doubles twice in a row, unless it is too little to be judged", () => {
    assert.deepStrictEqual(growthFaultsOf([point(10), point(30), point(90)]), [
      "api: twice the input costs 3.0 and then 3.0 times"
    ])
    assert.isNotEmpty(growthFaultsOf([point(10), point(24), point(80)]))
    assert.isNotEmpty(growthFaultsOf([point(10), point(73), point(160)]))
    assert.deepStrictEqual(growthFaultsOf([point(10), point(20), point(60)]), [])
    assert.deepStrictEqual(growthFaultsOf([point(10), point(20), point(90)]), [])
    assert.deepStrictEqual(growthFaultsOf([point(10), point(30), point(60)]), [])
    assert.deepStrictEqual(growthFaultsOf([point(1), point(4), point(19)]), [])
  })

  it("is broken by what holds the event loop, longer on a slow machine", () => {
    assert.deepStrictEqual(pointFaultsOf(point(300, 260), 1), ["api: held for 260 ms"])
    assert.deepStrictEqual(pointFaultsOf(point(300, 260), 2), [])
  })

  it("is broken by what fails, and not by what is refused", () => {
    assert.deepStrictEqual(pointFaultsOf(point(1, 1, "500"), 1), ["answered 500"])
    assert.deepStrictEqual(pointFaultsOf(point(1, 1, "422"), 1), [])
  })
})
