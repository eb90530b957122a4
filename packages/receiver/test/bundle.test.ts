/** The receiver kit in a worker or a browser: how large it is there, and that it needs nothing but WebCrypto. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { BUNDLE_BYTES_MAX, bundlesOf } from "../../../infra/release/bundles.ts"

const bundles = await bundlesOf(fileURLToPath(new URL("..", import.meta.url)), "verify", "@agent-platform/receiver")
const [vector] = JSON.parse(readFileSync(new URL("../vectors.json", import.meta.url), "utf8"))

describe.each(bundles)("the receiver kit, bundled by $by", ({ bytes, code }) => {
  it(`has at most ${BUNDLE_BYTES_MAX} bytes, compressed`, () => assert.isAtMost(bytes, BUNDLE_BYTES_MAX))

  it("verifies in a realm that has what workers have, and nothing of Node's", async () => {
    const context = createContext({ TextDecoder, TextEncoder, Uint8Array, atob, crypto, vector })
    const verified = (secret: string) =>
      runInContext(
        `${code}; bundled(vector.body, vector.headers, ${secret}, { now: vector.now_seconds * 1000 })
          .then((event) => event.type, (refused) => refused.code)`,
        context
      )
    assert.strictEqual(vector.result, "accepted")
    assert.strictEqual(await verified("vector.secret"), JSON.parse(vector.body).type)
    assert.strictEqual(await verified("'whsec_AAAA'"), "signature_mismatch")
  })
})
