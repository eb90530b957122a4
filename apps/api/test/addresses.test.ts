/** How addresses are shown in answers, logs and traces: nothing that a caller put into one but ids and plain words. */
import { assert, describe, it } from "@effect/vitest"
import { makeAddresses } from "../src/edge/addresses.ts"
import { SYSTEM_PATHS } from "../src/routes/layerSystem.ts"

const addressOf = makeAddresses(SYSTEM_PATHS)

const ID = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"
const TOKEN = "k3J-9_fFq0aTnB2s"

const shown: ReadonlyArray<readonly [path: string, as: string]> = [
  ["/healthz", "/healthz"],
  ["/api/v1/runs/", "/api/v1/runs/"],
  ["/api/v1/agents", "/api/v1/agents"],
  [`/api/v1/runs/${ID}`, `/api/v1/runs/${ID}`],
  [`/api/v1/runs/${ID}/logs`, `/api/v1/runs/${ID}/logs`],
  ["/api/v1/runs/sk-proj-0123456789abcdef", "/api/v1/runs/{run_id}"],
  ["/api/v1/byok/openai", "/api/v1/byok/openai"],
  ["/problems/not_found", "/problems/not_found"],
  [`/api/v1/hooks/${ID}/${TOKEN}`, `/api/v1/hooks/${ID}/{token}`],
  [`/api/v1/hooks/${ID}/${TOKEN}/`, `/api/v1/hooks/${ID}/{token}/`],
  [`/api/v1/hooks/${TOKEN}/${ID}`, "/api/v1/hooks/{agent_id}/{token}"],
  [`/api/v1/hooks/${ID}/word`, `/api/v1/hooks/${ID}/{token}`],
  [`/api/v1/%68ooks/${ID}/${TOKEN}`, `/api/v1/hooks/${ID}/{token}`],
  [`/%61pi/v1/hooks/${ID}/${TOKEN}%2Fmore`, `/api/v1/hooks/${ID}/{token}`],
  [`/api/v1/%2568ooks/${ID}/${TOKEN}`, "/"],
  [`/api/v1/hooks/${ID}/${TOKEN}/more`, "/"],
  [`/api/v1//hooks/${ID}/${TOKEN}`, "/"],
  [`//api/v1/hooks/${ID}/${TOKEN}`, "/"],
  [`/api/v1/Hooks/${ID}/${TOKEN}`, "/"],
  [`/api/v1/hooks%2F${ID}%2F${TOKEN}`, "/"],
  [`/${TOKEN}`, "/"]
]

describe("an address", () => {
  for (const [path, as] of shown) {
    it(`${path} is shown as ${as}`, () => {
      assert.strictEqual(addressOf(path).shown, as)
    })
  }
})
