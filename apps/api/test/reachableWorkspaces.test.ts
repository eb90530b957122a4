import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aPerson } from "./people.ts"
import { layer as layerApi, type Tenant, TestApi } from "./support.ts"

const PATH = "/api/v1/auth/workspaces"

interface Item {
  readonly id: string
  readonly name: string
  readonly role: string | null
}

/** Adds two workspaces to the tenant's. */
const withThree = Effect.gen(function* () {
  const api = yield* TestApi
  const tenant = yield* api.tenant
  const ids = yield* Effect.forEach(["Second", "Third"], (name) =>
    Effect.map(api.call("POST", "/api/v1/org/workspaces", { key: tenant.orgKey, body: { name } }), ({ json }) =>
      String(json["id"])
    )
  )
  return { tenant, all: [tenant.workspaceId, ...ids].toReversed() }
})

const listed = (as: { readonly key?: string; readonly headers?: Readonly<Record<string, string>> }, query = "") =>
  TestApi.use((api) =>
    Effect.map(api.call("GET", `${PATH}${query}`, as), ({ json, status }) => {
      assert.strictEqual(status, 200)
      return json as unknown as { readonly items: ReadonlyArray<Item>; readonly next_cursor: string | null }
    })
  )

const idsOf = ({ items }: { readonly items: ReadonlyArray<Item> }) => items.map(({ id }) => id)

const inOwn = (tenant: Tenant) => ({ "x-workspace-id": tenant.workspaceId })

layer(layerApi, { excludeTestServices: true })("the workspaces that a caller reaches", (it) => {
  describe("GET /api/v1/auth/workspaces", () => {
    it.effect("answers all of the organization to its owners, admins and keys", () =>
      Effect.gen(function* () {
        const { all, tenant } = yield* withThree
        for (const role of ["owner", "admin"] as const) {
          const person = yield* aPerson(tenant, role)
          const page = yield* listed({ headers: person.headers })
          assert.deepStrictEqual(idsOf(page), all)
          assert.isTrue(page.items.every((item) => item.role === role))
        }
        const page = yield* listed({ key: tenant.orgKey })
        assert.deepStrictEqual(idsOf(page), all)
        assert.isTrue(page.items.every(({ role }) => role === null))
      })
    )

    it.effect("answers those that a member or a viewer has a role in, with or without a workspace named", () =>
      Effect.gen(function* () {
        const { tenant } = yield* withThree
        for (const role of ["member", "viewer"] as const) {
          const { headers } = yield* aPerson(tenant, role)
          const expected = [{ id: tenant.workspaceId, name: "Main", role }]
          assert.deepStrictEqual((yield* listed({ headers })).items, expected)
          assert.deepStrictEqual((yield* listed({ headers: { ...headers, ...inOwn(tenant) } })).items, expected)
        }
        const nobody = yield* aPerson(tenant, "nothing")
        assert.deepStrictEqual(yield* listed({ headers: nobody.headers }), { items: [], next_cursor: null })
      })
    )

    it.effect("answers a workspace key its own", () =>
      Effect.gen(function* () {
        const { tenant } = yield* withThree
        assert.deepStrictEqual(idsOf(yield* listed({ key: tenant.workspaceKey })), [tenant.workspaceId])
      })
    )

    it.effect("goes on by cursors that nobody else can use", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { all, tenant } = yield* withThree
        const person = yield* aPerson(tenant, "owner")
        const first = yield* listed({ headers: person.headers }, "?limit=2")
        const rest = yield* listed({ headers: person.headers }, `?limit=2&cursor=${first.next_cursor}`)
        assert.deepStrictEqual([...idsOf(first), ...idsOf(rest)], all)
        const taken = yield* api.call("GET", `${PATH}?cursor=${first.next_cursor}`, { key: tenant.workspaceKey })
        assert.strictEqual(String(taken.json["code"]), "cursor_invalid")
      })
    )
  })
})
