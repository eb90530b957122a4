/** Damaged credentials. Contract: Errors, malformed_credential: no database read. */

import { connect } from "node:net"
import { ApiKeyStore } from "@agent-platform/keys"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { layerMemory, layerOver, TestApi } from "./support.ts"

class Reads extends Context.Service<Reads, { count: number }>()("Reads") {}

const layerCounting = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const reads = { count: 0 }
    return Context.make(Reads, reads).pipe(
      Context.add(ApiKeyStore, {
        ...store,
        findByHash: (hash, workspaceId) => {
          reads.count++
          return store.findByHash(hash, workspaceId)
        }
      })
    )
  })
)

/** A repeatable sequence of numbers from 0 to below `bound`. */
const numbers = (seed: number) => {
  let state = seed
  return (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-.=+/ ~!é"

/** The key with something cut out, put in, swapped, repeated or replaced; never the key itself. */
const damaged = (key: string, next: (bound: number) => number): string => {
  const at = next(key.length)
  const character = ALPHABET.charAt(next(ALPHABET.length))
  const results = [
    key.slice(0, at),
    key.slice(0, at) + key.slice(at + 1),
    key.slice(0, at) + character + key.slice(at),
    key.slice(0, at) + character + key.slice(at + 1),
    key.slice(0, at) + key.slice(at).toUpperCase(),
    key.replace("apk_ws_", "apk_org_"),
    key.slice(at) + key.slice(0, at),
    key.repeat(1 + next(3)) + character,
    key.repeat(400),
    character.repeat(at)
  ]
  const result = results[next(results.length)] ?? ""
  return result.trim() === key ? `${key}x` : result
}

/** Many requests over one connection, since `fetch` refuses some headers that a socket does not. */
const statuses = Effect.fnUntraced(function* (heads: ReadonlyArray<string>) {
  const { port } = yield* TestApi
  const one = (head: string) =>
    Effect.callback<string>((resume) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(head, "latin1"))
      let answer = ""
      socket.setEncoding("latin1")
      socket.on("data", (chunk) => {
        answer += chunk
      })
      socket.on("error", () => resume(Effect.succeed(answer)))
      socket.on("close", () => resume(Effect.succeed(answer)))
      return Effect.sync(() => socket.destroy())
    })
  return yield* Effect.forEach(heads, (head) => Effect.map(one(head), (answer) => answer.split(" ")[1]), {
    concurrency: 16
  })
})

layer(layerOver(Layer.provideMerge(layerCounting, layerMemory)), { excludeTestServices: true })(
  "2,000 damaged credentials",
  (it) => {
    it.effect("are all refused without one look at the store", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const reads = yield* Reads
        const { workspaceKey } = yield* api.tenant
        const next = numbers(20_261_121)
        const heads = Array.from({ length: 2_000 }, (_, index) => {
          const credential = damaged(workspaceKey, next)
          const header = index % 2 === 0 ? `Authorization: Bearer ${credential}` : `X-API-Key: ${credential}`
          return `GET /api/v1/auth/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}\r\n\r\n`
        })
        const found = new Map<string | undefined, number>()
        for (const status of yield* statuses(heads)) found.set(status, (found.get(status) ?? 0) + 1)
        for (const status of found.keys()) assert.include(["400", "401", "431"], status)
        assert.isAbove(found.get("401") ?? 0, 1_500)
        assert.strictEqual(reads.count, 0)
        assert.strictEqual((yield* api.call("GET", "/api/v1/auth/me", { key: workspaceKey })).status, 200)
        assert.strictEqual(reads.count, 1)
      })
    )
  }
)
