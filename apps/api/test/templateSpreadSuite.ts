/** Templates on their way to many workspaces over Postgres, while workspaces change, come and go on, and turns break off. */
import { atomic, SecretBox, type Template, type TemplateKind, TemplateStore } from "@agent-platform/kernel"
import { aCaller } from "@agent-platform/kernel/testing"
import {
  changedProviderKeyTemplate,
  changedToolSecretTemplate,
  IdentityProvider,
  newProviderKeyTemplate,
  newToolSecretTemplate,
  ProviderKeyStore,
  ProviderKeys,
  parseHostPattern,
  providerKeyPlace,
  Tenancy,
  TenancyStore,
  ToolSecrets
} from "@agent-platform/keys"
import { anOrganization, aWorkspace } from "@agent-platform/keys/testing"
import { continueSpread, Platform, Templates } from "@agent-platform/platform"
import { AgentRunner, changedAgentTemplate, newAgentTemplate, Runs } from "@agent-platform/runs"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { inDatabase, layerPorts } from "./overPostgres.ts"

const services = Platform.layer({ demo: "full" }).pipe(
  Layer.provideMerge(Layer.merge(layerPorts, IdentityProvider.layerNone)),
  // The recipes of the worker that brings the templates.
  Layer.merge(AgentRunner.layer([{ name: "demo", execute: () => Effect.never }]))
)

const found = Effect.fnUntraced(function* (count: number) {
  const tenancy = yield* TenancyStore
  const organization = anOrganization()
  const workspaces = Array.from({ length: count }, () => aWorkspace({ organizationId: organization.id }))
  yield* atomic(
    Effect.andThen(
      tenancy.insertOrganization(organization),
      Effect.forEach(workspaces, (workspace) => tenancy.insertWorkspace(workspace), { discard: true })
    )
  )
  const caller = aCaller({ organizationId: organization.id, workspaceId: workspaces[0]?.id as never })
  return { caller, workspaces }
})

const NEW_SECRET = {
  name: "Orders",
  hostPattern: parseHostPattern("api.example.com") as never,
  header: "x-api-key",
  oauth: null,
  value: Redacted.make("first-0123456789")
}

const NEW_KEY = {
  provider: "openai",
  value: Redacted.make("sk-first-0123456789"),
  name: undefined,
  baseUrl: null,
  allowedModels: null,
  priority: 100,
  fallback: "none",
  validate: false
} as const

/** Does turns until none is left, as workers do one after another. */
const spread = Effect.fnUntraced(function* ({ id, kind, organizationId }: Template) {
  const store = yield* TemplateStore
  for (;;) {
    const template = yield* store.find(organizationId, kind, id)
    if (template === undefined || template.spread.endedAt !== null) return template
    yield* continueSpread({ organization_id: organizationId, template_id: id, turn: template.spread.turns })
  }
})

/** How many workspaces have a row of their own by the template at a version, and in how many transactions they got it. */
const reached = ({ id, kind }: Template, version: number) =>
  inDatabase((sql) =>
    Effect.orDie(sql<{ readonly members: number; readonly transactions: number; readonly rows: number }>`
      select count(*)::int as members, count(distinct member.xmin::text)::int as transactions,
        count(distinct member.resource_id)::int as rows
      from agent_platform.template_member as member
      join agent_platform.${sql.literal(kind)} as resource
        on resource.workspace_id = member.workspace_id and resource.id = member.resource_id
      where member.template_id = ${id} and member.version = ${version}
    `)
  )

/** Has templates of all kinds reach so many workspaces. */
export const describeSpread = (count: number) =>
  layer(services, { excludeTestServices: true })("templates of all kinds", (it) => {
    it.effect(
      `reach ${count} workspaces by one transaction each, stop nobody, and leave what a workspace has set`,
      () =>
        Effect.gen(function* () {
          const templates = yield* Templates
          const secrets = yield* ToolSecrets
          const keys = yield* ProviderKeys
          const runs = yield* Runs
          const tenancy = yield* Tenancy
          const { caller, workspaces } = yield* found(count)
          const creating = <Kind extends TemplateKind>(kind: Kind) => ({ caller, kind, idempotency: undefined })
          const made = [
            (yield* templates.createTemplate({ ...creating("tool_secret"), make: newToolSecretTemplate(NEW_SECRET) }))
              .value,
            (yield* templates.createTemplate({ ...creating("provider_key"), make: newProviderKeyTemplate(NEW_KEY) }))
              .value,
            (yield* templates.createTemplate({
              ...creating("agent"),
              make: newAgentTemplate({ name: "Helper", recipe: "demo", instructions: "Be kind" })
            })).value
          ].map(({ template }) => template)
          const [secretTemplate, keyTemplate, agentTemplate] = made as [Template, Template, Template]
          // A turn that breaks off is begun again.
          for (const template of made) {
            const broken = yield* Effect.forkChild(spread(template))
            yield* Effect.yieldNow
            yield* Fiber.interrupt(broken)
          }
          const spreading = yield* Effect.forkChild(Effect.forEach(made, spread, { concurrency: 3 }))
          // Meanwhile workspaces are created.
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
          const all = count + newer.length
          for (const after of yield* Fiber.join(spreading)) {
            assert.isAtLeast(after?.spread.done ?? 0, count)
            assert.strictEqual(after?.spread.total, after?.spread.done)
          }
          // A workspace that begins has all three in its own transaction.
          const expected = [{ members: all, transactions: all, rows: all }]
          for (const template of made) assert.deepStrictEqual(yield* reached(template, 1), expected)

          // One workspace has something of its own of each: the next version leaves that.
          const inWorkspace = (workspace: { readonly id: string } | undefined) => ({
            ...caller,
            workspaceId: workspace?.id as never
          })
          const own = inWorkspace(workspaces[0])
          const one = { limit: 1, before: undefined }
          const [mySecret] = (yield* secrets.listToolSecrets({ caller: own, page: one })).items
          const [myKey] = (yield* keys.listProviderKeys({ caller: own, page: one })).items
          const [myAgent] = (yield* runs.listAgents({ caller: own, page: one })).items
          const value = Redacted.make("own-0123456789")
          const any = { caller: own, ifVersion: undefined }
          yield* secrets.updateToolSecret({ ...any, id: mySecret!.id, change: { value } })
          yield* keys.updateProviderKey({ ...any, id: myKey!.id, change: { value }, validate: false })
          yield* runs.updateAgent({ caller: own, agentId: myAgent!.agent.id, settings: { instructions: "Be brief" } })

          const next = Redacted.make("second-0123456789")
          const changing = <Kind extends TemplateKind>(kind: Kind, { id }: Template) => ({
            caller,
            kind,
            id,
            ifVersion: undefined
          })
          yield* templates.updateTemplate({
            ...changing("tool_secret", secretTemplate),
            prepare: () => Effect.succeed(changedToolSecretTemplate({ value: next }))
          })
          yield* templates.updateTemplate({
            ...changing("provider_key", keyTemplate),
            prepare: changedProviderKeyTemplate({ change: { value: next, priority: 7 }, validate: false })
          })
          yield* templates.updateTemplate({
            ...changing("agent", agentTemplate),
            prepare: changedAgentTemplate({ instructions: "Be thorough", description: "Of the product" })
          })
          yield* Effect.forEach(made, spread, { concurrency: 3 })
          for (const template of made) assert.deepStrictEqual(yield* reached(template, 2), expected)

          const box = yield* SecretBox
          const store = yield* ProviderKeyStore
          const has = Effect.fnUntraced(function* (workspace: { readonly id: string } | undefined) {
            const { workspaceId } = inWorkspace(workspace)
            const [secret] = yield* secrets.openToolSecrets({ workspaceId, url: "https://api.example.com/" })
            const [key] = yield* store.ofProvider(workspaceId, "openai")
            const [agent] = (yield* runs.listAgents({ caller: inWorkspace(workspace), page: one })).items
            return [
              secret && Redacted.value(secret.value),
              key && Redacted.value(yield* Effect.orDie(box.open(providerKeyPlace(key.key), key.sealed))),
              key?.key.priority,
              agent?.agent.instructions,
              agent?.agent.description
            ]
          })
          const ofTemplate = ["second-0123456789", "second-0123456789", 7, "Be thorough", "Of the product"]
          assert.deepStrictEqual(yield* has(workspaces[0]), [
            "own-0123456789",
            "own-0123456789",
            7,
            "Be brief",
            "Of the product"
          ])
          assert.deepStrictEqual(yield* has(workspaces[1]), ofTemplate)
          assert.deepStrictEqual(yield* has(newer[0]?.value), ofTemplate)
        }),
      600_000
    )
  })
