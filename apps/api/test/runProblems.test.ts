/** Refusals that take a deployment without the recipe of an agent. */
import { RecipeUnknown } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { acceptanceProblems, triggerProblems } from "../src/handlers/runProblems.ts"

const refused = (possible: ReadonlyArray<string>) => new RecipeUnknown({ recipe: "gone", possible })

describe("a recipe that is not registered", () => {
  it("is looked for at the agent where a run names none, which may name another of the agent's", () => {
    const { RecipeUnknown: problem } = triggerProblems({})
    assert.strictEqual(problem(refused([])).detail, "/agent_id must be an agent whose recipe is registered here")
    assert.strictEqual(
      problem(refused(["chat", "demo"])).detail,
      "/agent_id must be an agent whose recipe is registered here, unless recipe names another of its own: chat, demo"
    )
  })

  it("is looked for at the recipe where a run names one", () => {
    const { RecipeUnknown: problem } = triggerProblems({ recipe: "gone" })
    assert.strictEqual(
      problem(refused(["chat"])).detail,
      "/recipe must be a recipe of the agent that is registered here: chat"
    )
    assert.strictEqual(problem(refused([])).detail, "/recipe must be a recipe of the agent that is registered here")
  })

  it("is no fault of a reply's body", () => {
    const { detail, errors } = acceptanceProblems.RecipeUnknown(refused(["chat"]))
    assert.match(detail, /^The runs of the session have the recipe gone, /)
    assert.isUndefined(errors)
  })
})
