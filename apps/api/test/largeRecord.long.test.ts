/** Records of runs that logged as much as they may, as a whole. docs/http.md, Records. */
import { createPublicKey, type JsonWebKey, verify } from "node:crypto"
import { canonicalJson } from "@agent-platform/kernel"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aRunThatLogged, LINES } from "./largeRuns.ts"
import { layer as layerApi, TestApi } from "./support.ts"

const MIB = 1024 * 1024

layer(layerApi, { excludeTestServices: true })("the record of a run with a large log", (it) => {
  it.effect("is whole and verifiable as JSON, in its canonical form", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const path = yield* aRunThatLogged(tenant, LINES, "message.completed")
      const { text } = yield* api.call("GET", `${path}/record`, { key: tenant.workspaceKey })
      const { integrity, ...rest } = JSON.parse(text)
      assert.strictEqual(text, canonicalJson({ integrity, ...rest }))
      assert.deepStrictEqual(
        rest.messages.slice(0, -1).map((one: { text: string }) => one.text),
        LINES
      )
      assert.strictEqual(rest.timeline.filter((one: { type: string }) => one.type === "message.completed").length, 250)
      assert.isFalse(rest.timeline_truncated || rest.messages_truncated)
      const { keys } = JSON.parse((yield* api.call("GET", "/.well-known/agent-platform-keys.json")).text)
      const key = keys.find(({ kid }: { kid: string }) => kid === integrity.key_id) as JsonWebKey
      const signature = Buffer.from(integrity.signature, "base64")
      const publicKey = createPublicKey({ key, format: "jwk" })
      assert.isTrue(verify(null, Buffer.from(canonicalJson(rest)), publicKey, signature))
    })
  )

  for (const accept of ["text/html", "text/markdown"]) {
    it.effect(`is cut at 32 MiB as ${accept}, says where and of what, and keeps its end`, () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = yield* aRunThatLogged(tenant, LINES, "message.completed")
        const { text } = yield* api.call("GET", `${path}/record`, { key: tenant.workspaceKey, headers: { accept } })
        assert.isAtMost(Buffer.byteLength(text), 32 * MIB)
        assert.isAbove(Buffer.byteLength(text), 31 * MIB)
        const notes = text.split("Cut here").slice(1)
        const left = notes.map((note) => {
          const said = /32 MiB, and (\d+) of (\d+) ([\w ]+) are left out/.exec(note.slice(0, 200).replaceAll("\\", ""))
          return [Number(said?.[1]) > 0, Number(said?.[2]), said?.[3]]
        })
        assert.deepStrictEqual(left.at(-1), [true, 251, "entries of the timeline"])
        assert.match(text.slice(-1_000), /Signature/)
        assert.notInclude(text, '<script type="application/json"')
      })
    )
  }

  it.effect("holds the signed JSON as a page as long as that is at most half of it", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const path = yield* aRunThatLogged(tenant, LINES.slice(0, 60))
      const headers = { accept: "text/html" }
      const { text } = yield* api.call("GET", `${path}/record`, { key: tenant.workspaceKey, headers })
      const json = /<script type="application\/json" id="record">(.*)<\/script>/s.exec(text)?.[1]
      assert.strictEqual(JSON.parse(json ?? "").timeline.length, 61)
      assert.notInclude(text, "are left out")
    })
  )
})
