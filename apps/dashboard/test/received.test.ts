/** The webhooks that the first steps show: those of the workspace that is looked at. */
import { assert, it } from "vitest"
import { concerns } from "../src/screens/first-steps/Received.ts"

const bodyOf = (data: unknown) => ({ body: JSON.stringify({ type: "run.succeeded", data }) })

it("a webhook of another workspace is not shown; a test, one of the organization, and anything else is", () => {
  assert.isTrue(concerns(bodyOf({ workspace_id: "one" }), "one"))
  assert.isFalse(concerns(bodyOf({ workspace_id: "two" }), "one"))
  assert.isTrue(concerns(bodyOf({ workspace_id: "two", test: true }), "one"))
  assert.isTrue(concerns(bodyOf({ endpoint_id: "hooks" }), "one"))
  for (const body of ["", "no JSON", "null", "[]", '"text"', '{"data": null}']) assert.isTrue(concerns({ body }, "one"))
})
