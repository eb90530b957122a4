import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { OrganizationId, WorkspaceId } from "../Ids.ts"
import { TemplateStore } from "../ports/TemplateStore.ts"
import { atomic, type UnitOfWork } from "../ports/UnitOfWork.ts"
import { type Template, TemplateId, type TemplateMember, templatePlace } from "../Template.ts"
import { anId, aTemplate } from "./builders.ts"
import { aTenant, type Tenants } from "./Tenants.ts"

const LATER = DateTime.makeUnsafe("2026-11-22T08:00:00.007Z")
const ALL = 1_000_000

const sealedOf = ({ id }: Template) => `v1.k1.${id}`

const insert = Effect.fnUntraced(function* (override: Partial<Template>, { hasValue } = { hasValue: true }) {
  const template = aTemplate(override)
  yield* TemplateStore.use((store) => atomic(store.insert(template, hasValue ? sealedOf(template) : null)))
  return template
})

const aMember = (
  { id, organizationId }: Template,
  workspaceId: WorkspaceId,
  override: Partial<TemplateMember> = {}
): TemplateMember => ({
  organizationId,
  workspaceId,
  templateId: id,
  resourceId: anId(TemplateId),
  version: 1,
  overridden: [],
  fault: null,
  ...override
})

/** Holds a store of templates to its port. */
export const templateStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | TemplateStore | Tenants, E>
) =>
  describe(`templates over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("gives back a template and its value exactly as they were inserted, to its organization alone", () =>
        Effect.gen(function* () {
          const store = yield* TemplateStore
          const { organizationId, workspaceId } = yield* aTenant()
          const template = yield* insert({
            organizationId,
            settings: { name: 'Größe 💡 "quoted"', oauth: null, list: [1, { deep: true }] },
            version: 7,
            valueVersion: 3,
            spread: { after: workspaceId, done: 2, total: 9, turns: 4, endedAt: LATER }
          })
          const { id, kind } = template
          assert.deepStrictEqual(yield* store.find(organizationId, kind, id), template)
          const sealed = { template, sealed: sealedOf(template) }
          assert.deepStrictEqual(yield* atomic(store.findToChange(organizationId, id)), sealed)
          assert.deepStrictEqual(yield* atomic(store.findToFollow(organizationId, id)), sealed)
          assert.deepStrictEqual(yield* atomic(store.allToFollow(organizationId)), [sealed])
          const other = anId(OrganizationId)
          assert.isUndefined(yield* store.find(other, kind, id))
          assert.isUndefined(yield* atomic(store.findToChange(other, id)))
          assert.isUndefined(yield* atomic(store.findToFollow(other, id)))
          assert.isEmpty(yield* atomic(store.allToFollow(other)))
        })
      )

      it.effect("lists the organization's templates newest first, page by page, and counts them up to a bound", () =>
        Effect.gen(function* () {
          const store = yield* TemplateStore
          const { organizationId } = yield* aTenant()
          const ids: Array<string> = []
          for (let made = 0; made < 5; made++) ids.unshift((yield* insert({ organizationId })).id)
          yield* insert({ organizationId: (yield* aTenant()).organizationId })
          const agent = yield* insert({ organizationId, kind: "agent" })
          assert.deepStrictEqual((yield* store.list(organizationId, "agent", { limit: 3, before: undefined })).items, [
            agent
          ])
          assert.isUndefined(yield* store.find(organizationId, "provider_key", agent.id))
          const first = yield* store.list(organizationId, "tool_secret", { limit: 3, before: undefined })
          const rest = yield* store.list(organizationId, "tool_secret", { limit: 3, before: first.items.at(-1)?.id })
          assert.deepStrictEqual(
            [...first.items, ...rest.items].map(({ id }) => id),
            ids
          )
          assert.strictEqual(yield* atomic(store.holdCount(organizationId, 100)), 6)
          assert.strictEqual(yield* atomic(store.holdCount(organizationId, 3)), 3)
        })
      )

      it.effect("writes settings, versions, time and spread of a change, and a value only where there is one", () =>
        Effect.gen(function* () {
          const store = yield* TemplateStore
          const { organizationId, workspaceId } = yield* aTenant()
          const template = yield* insert({ organizationId })
          const change = {
            settings: { name: "Renamed" },
            version: 2,
            valueVersion: 2,
            updatedAt: LATER,
            spread: { after: workspaceId, done: 1, total: 2, turns: 1, endedAt: null }
          }
          yield* atomic(store.update({ ...template, ...change, createdAt: LATER }, undefined))
          const after = { ...template, ...change }
          const sealed = Effect.map(atomic(store.findToFollow(organizationId, template.id)), (found) => found?.sealed)
          assert.deepStrictEqual(yield* store.find(organizationId, template.kind, template.id), after)
          assert.strictEqual(yield* sealed, sealedOf(template))
          yield* atomic(store.update(after, "v1.k1.another"))
          assert.strictEqual(yield* sealed, "v1.k1.another")
          yield* atomic(store.update({ ...after, organizationId: anId(OrganizationId) }, "v1.k1.stolen"))
          assert.strictEqual(yield* sealed, "v1.k1.another")
          yield* atomic(store.update(after, null))
          assert.isNull(yield* sealed)
        })
      )

      it.effect("keeps the parts of workspaces, finds them by template and by row, and lists them in order", () =>
        Effect.gen(function* () {
          const store = yield* TemplateStore
          const one = yield* aTenant()
          const two = yield* aTenant({ organizationId: one.organizationId })
          const template = yield* insert({ organizationId: one.organizationId })
          const other = yield* insert({ organizationId: one.organizationId })
          const members = [
            aMember(template, one.workspaceId),
            aMember(template, two.workspaceId, { resourceId: null, fault: "taken", overridden: ["name", "value"] })
          ]
          for (const member of members) yield* atomic(store.putMember(member))
          yield* atomic(store.putMember(aMember(other, one.workspaceId)))
          const inOrder = members.toSorted((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1))
          const { id, organizationId } = template
          assert.deepStrictEqual(yield* store.members(organizationId, id, undefined, 10), inOrder)
          assert.deepStrictEqual(yield* store.members(organizationId, id, undefined, 1), inOrder.slice(0, 1))
          assert.deepStrictEqual(
            yield* store.members(organizationId, id, inOrder[0]?.workspaceId, 10),
            inOrder.slice(1)
          )
          assert.isEmpty(yield* store.members(anId(OrganizationId), id, undefined, 10))
          const [first] = members
          assert.deepStrictEqual(yield* atomic(store.holdMember(one.workspaceId, id)), first)
          assert.deepStrictEqual(yield* atomic(store.holdMemberOf(one.workspaceId, first?.resourceId ?? "")), first)
          assert.isUndefined(yield* atomic(store.holdMemberOf(two.workspaceId, first?.resourceId ?? "")))
          assert.isUndefined(yield* atomic(store.holdMember(anId(WorkspaceId), id)))
          const behind = { ...first!, fault: "conflict" as const }
          yield* atomic(store.putMember(behind))
          assert.deepStrictEqual(yield* atomic(store.holdMember(one.workspaceId, id)), behind)
          const changed = { ...first!, version: 2, overridden: ["value"], resourceId: null, fault: "taken" as const }
          yield* atomic(store.putMember(changed))
          assert.deepStrictEqual(yield* atomic(store.holdMember(one.workspaceId, id)), changed)
        })
      )

      it.effect("removes a template with the parts of its workspaces, and no other", () =>
        Effect.gen(function* () {
          const store = yield* TemplateStore
          const { organizationId, workspaceId } = yield* aTenant()
          const [gone, kept] = [yield* insert({ organizationId }), yield* insert({ organizationId })]
          for (const template of [gone, kept]) yield* atomic(store.putMember(aMember(template, workspaceId)))
          yield* atomic(store.remove(anId(OrganizationId), gone.id))
          assert.isDefined(yield* store.find(organizationId, gone.kind, gone.id))
          yield* atomic(store.remove(organizationId, gone.id))
          assert.isUndefined(yield* store.find(organizationId, gone.kind, gone.id))
          assert.isUndefined(yield* atomic(store.holdMember(workspaceId, gone.id)))
          assert.isDefined(yield* atomic(store.holdMember(workspaceId, kept.id)))
        })
      )

      it.effect("walks the values of every organization, and puts one in the place of the one that was read", () =>
        Effect.gen(function* () {
          const store = yield* TemplateStore
          const [first, second] = [
            yield* insert({ organizationId: (yield* aTenant()).organizationId }),
            yield* insert({ organizationId: (yield* aTenant()).organizationId })
          ]
          const sealed = { template: second, sealed: sealedOf(second) }
          assert.deepStrictEqual(yield* store.everyValue(first.id, 1), [sealed])
          assert.notDeepInclude(yield* store.everyValue(second.id, ALL), sealed)
          const valueless = yield* insert({ organizationId: second.organizationId }, { hasValue: false })
          const found = yield* store.everyValue(second.id, ALL)
          assert.notInclude(
            found.map(({ template }) => template.id),
            valueless.id
          )
          const value = { position: second.id, place: templatePlace(second), sealed: sealed.sealed }
          assert.isFalse(yield* atomic(store.replaceSealed({ ...value, sealed: "v1.k0.old" }, "v1.k2.no")))
          assert.isTrue(yield* atomic(store.replaceSealed(value, "v1.k2.new")))
          assert.isFalse(yield* atomic(store.replaceSealed(value, "v1.k3.no")))
        })
      )
    })
  })
