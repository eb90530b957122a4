/** A template on its way to 500 workspaces over Postgres, while workspaces change, come and go on, and turns break off. */
import { atomic, type Template, TemplateStore } from "@agent-platform/kernel"
import { aCaller } from "@agent-platform/kernel/testing"
import { IdentityProvider, parseHostPattern, Tenancy, TenancyStore, ToolSecrets } from "@agent-platform/keys"
import { anOrganization, aWorkspace } from "@agent-platform/keys/testing"
import {
  changedToolSecretTemplate,
  continueSpread,
  newToolSecretTemplate,
  Platform,
  Templates
} from "@agent-platform/platform"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { inDatabase, layerPorts } from "./overPostgres.ts"

const WORKSPACES = 500

const services = Platform.layer().pipe(Layer.provideMerge(Layer.merge(layerPorts, IdentityProvider.layerNone)))

const founded = Effect.gen(function* () {
  const tenancy = yield* TenancyStore
  const organization = anOrganization()
  const workspaces = Array.from({ length: WORKSPACES }, () => aWorkspace({ organizationId: organization.id }))
  yield* atomic(
    Effect.andThen(
      tenancy.insertOrganization(organization),
      Effect.forEach(workspaces, (workspace) => tenancy.insertWorkspace(workspace), { discard: true })
    )
  )
  const caller = aCaller({ organizationId: organization.id, workspaceId: workspaces[0]?.id as never })
  return { caller, workspaces }
})

const settings = {
  name: "Orders",
  hostPattern: parseHostPattern("api.example.com") as never,
  header: "x-api-key",
  oauth: null
}

/** Does turns until none is left, as workers do one after another. */
const spread = Effect.fnUntraced(function* ({ id, kind, organizationId }: Template) {
  const store = yield* TemplateStore
  for (;;) {
    const template = yield* store.find(organizationId, kind, id)
    if (template === undefined || template.spread.endedAt !== null) return template
    yield* continueSpread({ organization_id: organizationId, template_id: id, turn: template.spread.turns })
  }
})

layer(services, { excludeTestServices: true })("a template", (it) => {
  it.effect("reaches 500 workspaces by one transaction each, and stops nobody", () =>
    Effect.gen(function* () {
      const templates = yield* Templates
      const secrets = yield* ToolSecrets
      const tenancy = yield* Tenancy
      const { caller, workspaces } = yield* founded
      const made = yield* templates.createTemplate({
        caller,
        ...newToolSecretTemplate(settings),
        value: Redacted.make("first-0123456789"),
        idempotency: undefined
      })
      const template = made.value
      // A turn that breaks off is begun again.
      const broken = yield* Effect.forkChild(spread(template))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(broken)
      const spreading = yield* Effect.forkChild(spread(template))
      // Meanwhile workspaces are created, and secrets of others added.
      const grantor = { actor: caller.actor, scopes: [], key: null, session: null, role: null }
      const newer = yield* Effect.forEach(Array.from({ length: 5 }), () =>
        tenancy.createWorkspace({
          caller,
          by: grantor as never,
          name: "Newer",
          timezone: "UTC",
          monthlyCapUsd: null,
          allowPlatformKeys: false,
          idempotency: undefined
        })
      )
      const after = yield* Fiber.join(spreading)
      assert.isAtLeast(after?.spread.done ?? 0, WORKSPACES)
      assert.strictEqual(after?.spread.total, after?.spread.done)
      const rows = yield* inDatabase((sql) =>
        Effect.orDie(sql<{ readonly members: number; readonly transactions: number; readonly secrets: number }>`
          select count(*)::int as members, count(distinct member.xmin::text)::int as transactions,
            count(distinct member.resource_id)::int as secrets
          from agent_platform.template_member as member
          join agent_platform.tool_secret as secret
            on secret.workspace_id = member.workspace_id and secret.id = member.resource_id
          where member.organization_id = ${caller.organizationId} and member.version = 1
        `)
      )
      const all = WORKSPACES + newer.length
      assert.deepStrictEqual(rows, [{ members: all, transactions: all, secrets: all }])

      // One workspace has a value of its own: the next version leaves it.
      const [first] = workspaces
      const own = { ...caller, workspaceId: first?.id as never }
      const [mine] = (yield* secrets.listToolSecrets({ caller: own, page: { limit: 1, before: undefined } })).items
      yield* secrets.updateToolSecret({
        caller: own,
        id: mine?.id as never,
        ifVersion: undefined,
        change: { value: Redacted.make("own-0123456789") }
      })
      yield* templates.updateTemplate({
        caller,
        kind: "tool_secret",
        id: template.id,
        ifVersion: undefined,
        ...changedToolSecretTemplate({ value: Redacted.make("second-0123456789") })
      })
      yield* spread(template)
      const valueIn = (workspaceId: string) =>
        Effect.map(
          secrets.openToolSecrets({ workspaceId: workspaceId as never, url: "https://api.example.com/" }),
          ([one]) => one && Redacted.value(one.value)
        )
      assert.strictEqual(yield* valueIn(first?.id ?? ""), "own-0123456789")
      assert.strictEqual(yield* valueIn(workspaces[1]?.id ?? ""), "second-0123456789")
      assert.strictEqual(yield* valueIn(newer[0]?.value.id ?? ""), "second-0123456789")
    })
  )
})
