/** Damaged credentials. Spec: API keys 7. */
import { PROBLEMS } from "@agent-platform/contract"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { makeDamage, numbers } from "./damage.ts"
import { openConnection, type RawAnswer } from "./rawConnection.ts"
import { layerKernel, layerOver, layerStores, TestApi } from "./support.ts"

const COUNT = 2_000
const CONNECTIONS = 8

/** How often anything was asked of the database, by whatever store. */
class Reads extends Context.Service<Reads, { count: number }>()("Reads") {}

const layerCounting = Layer.effectContext(
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const reads = { count: 0 }
    const counted = <A>(effect: Effect.Effect<A>) =>
      Effect.suspend(() => {
        reads.count++
        return effect
      })
    return Context.make(Reads, reads).pipe(
      Context.add(MemoryDatabase, {
        ...database,
        table: <Row>(name: string) => {
          const table = database.table<Row>(name)
          return { ...table, get: (key: string) => counted(table.get(key)), all: counted(table.all) }
        }
      })
    )
  })
)

const ports = layerStores.pipe(Layer.provideMerge(layerCounting), Layer.provideMerge(layerKernel))

/** Sends the requests over some connections, one after another on each, and answers what came back. */
const askAll = (port: number, heads: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const answers: Array<RawAnswer> = []
    const queue = heads.entries()
    const work = async () => {
      const connection = openConnection(port)
      for (const [index, head] of queue) answers[index] = await connection.ask(head)
      connection.close()
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, work))
    return answers
  })

layer(layerOver(ports), { excludeTestServices: true })("2,000 damaged credentials", (it) => {
  it.effect("are all refused with a problem and without one look at the database", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const reads = yield* Reads
      const { orgKey, workspaceKey } = yield* api.tenant
      const damage = makeDamage([workspaceKey, orgKey], numbers(20_261_121))
      const requests = Array.from({ length: COUNT }, () => damage())
      reads.count = 0
      const answers = yield* askAll(
        api.port,
        requests.map(({ headers }) => `GET /api/v1/auth/me HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`)
      )
      const found = new Map<string, Map<string, number>>()
      for (const [index, { body, contentType, status }] of answers.entries()) {
        const { headers, kind } = requests[index]!
        const shown = `${kind}: ${JSON.stringify(headers.slice(0, 200))}`
        assert.include([400, 401, 431], status, shown)
        assert.strictEqual(contentType, "application/problem+json", shown)
        const problem = JSON.parse(body) as { readonly code: keyof typeof PROBLEMS; readonly status: number }
        assert.strictEqual(problem.status, status, shown)
        assert.strictEqual(PROBLEMS[problem.code].status, status, shown)
        const codes = found.get(kind) ?? new Map<string, number>()
        found.set(kind, codes.set(problem.code, (codes.get(problem.code) ?? 0) + 1))
      }
      assert.strictEqual(reads.count, 0)

      // Each kind of damage came often, and was taken for what it is.
      const codesOf = (kind: string) => [...(found.get(kind)?.keys() ?? [])]
      for (const [kind, codes] of found) assert.isAbove(Math.max(...codes.values()), COUNT / 100, kind)
      for (const kind of ["truncated", "foreign alphabet", "wrong checksum", "unicode", "latin-1"]) {
        assert.deepStrictEqual(codesOf(kind), ["malformed_credential"], kind)
      }
      assert.deepStrictEqual(codesOf("two headers"), ["conflicting_credentials"])
      assert.deepStrictEqual(codesOf("empty"), ["missing_credential"])
      assert.deepStrictEqual(codesOf("control characters"), ["malformed_request"])
      assert.sameMembers(codesOf("oversized"), ["malformed_credential", "headers_too_large"])

      assert.strictEqual((yield* api.call("GET", "/api/v1/auth/me", { key: workspaceKey })).status, 200)
      assert.isAbove(reads.count, 0)
    })
  )
})
