/** Stores of tenants and members that are broken on purpose: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { type Member, MemberStore, TenancyStore, type Workspace } from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { memberStoreContract, tenancyStoreContract } from "@agent-platform/keys/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Members = MemberStore["Service"]
type Tenancies = TenancyStore["Service"]

const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

const memberFault = (fault: string, broken: (store: Members) => Partial<Members>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    MemberStore,
    MemberStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  )
  bite(fault, () => memberStoreContract("a broken store", Layer.provideMerge(layer, memory)), caughtBy)
}

const tenancyFault = (
  fault: string,
  broken: (store: Tenancies) => Partial<Tenancies>,
  caughtBy: ReadonlyArray<string>
) => {
  const layer = Layer.effect(
    TenancyStore,
    TenancyStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  )
  bite(fault, () => tenancyStoreContract("a broken store", Layer.provideMerge(layer, memory)), caughtBy)
}

tenancyFault(
  "a store that knows whatever begins like a time zone",
  () => ({ knowsTimezone: (zone) => Effect.succeed(/^[A-Za-z]/.test(zone)) }),
  ["knows the time zones of the IANA database in whatever case, and no other"]
)

tenancyFault(
  "a store that renames without a trace",
  (store) => ({ renameOrganization: (id) => store.findOrganization(id) }),
  ["renames one organization, and answers nothing for an unknown one"]
)

memberFault(
  "a store that forgets which key invited",
  (store) => ({ put: (member) => store.put({ ...member, invitedByKey: null }) }),
  [
    "gives back the key that invited, as it is by then",
    "gives nobody an invitation by a key that is not accepted at that time"
  ]
)

memberFault("a store that counts owners who are gone", () => ({ countOwners: () => Effect.succeed(2) }), [
  "counts the owners of one organization who have joined",
  "leaves one of twelve owners who are removed at once unless they are the last"
])

memberFault(
  "a store that looks for members by their id alone",
  (store) => {
    const owners = new Map<string, Member["organizationId"]>()
    return {
      put: (member) => {
        owners.set(member.id, member.organizationId)
        return store.put(member)
      },
      find: (organizationId, id) => store.find(owners.get(id) ?? organizationId, id),
      remove: (organizationId, id) => store.remove(owners.get(id) ?? organizationId, id)
    }
  },
  [
    "finds a member by its id and by its address, in its organization alone",
    "removes a member of its organization alone, and says whether there was one"
  ]
)

memberFault(
  "a store that gives an invitation to the first who comes and to a later one",
  (store) => {
    const invited = new Map<string, Array<Member>>()
    return {
      put: (member) => {
        invited.set(member.email, [...(invited.get(member.email) ?? []), member])
        return store.put(member)
      },
      takeUp: (email, user, at) =>
        Effect.map(store.takeUp(email, user, at), () =>
          (invited.get(email) ?? []).map((member) => ({
            ...member,
            user: { id: user.id, name: user.name },
            joinedAt: at
          }))
        )
    }
  },
  [
    "gives nobody an invitation by a key that is not accepted at that time",
    "gives an invitation that was taken up to nobody else",
    "gives an invitation to one of twenty who come for it at the same time",
    "leaves a second invitation to one organization open, also when both come up at the same time"
  ]
)

memberFault(
  "a store that takes up the first invitation only",
  (store) => ({
    takeUp: (email, user, at) =>
      Effect.gen(function* () {
        const [first] = yield* store.takeUp(email, user, at)
        return first === undefined ? [] : [first]
      })
  }),
  [
    "lets a person take up every invitation for its address, of whatever organization",
    "gives an invitation to one of twenty who come for it at the same time"
  ]
)

memberFault(
  "a store that knows a person by the subject alone",
  (store) => {
    const issuers = new Map<string, string>()
    return {
      putUser: (user) => {
        issuers.set(user.subject, user.issuer)
        return store.putUser(user)
      },
      findUser: (issuer, subject) => store.findUser(issuers.get(subject) ?? issuer, subject)
    }
  },
  ["knows a person by issuer and subject together"]
)

memberFault(
  "a store that lets a change of a member say who joined",
  (store) => ({
    put: (member) =>
      Effect.gen(function* () {
        yield* store.remove(member.organizationId, member.id)
        yield* store.put(member)
      })
  }),
  ["replaces the part of a member and leaves who joined, and when"]
)

tenancyFault(
  "a store that holds nothing and answers what it saw first",
  (store) => {
    const seen = new Map<string, Workspace | undefined>()
    return {
      holdWorkspace: (organizationId, id) =>
        Effect.gen(function* () {
          if (!seen.has(id)) seen.set(id, yield* store.holdWorkspace(organizationId, id))
          return seen.get(id)
        })
    }
  },
  ["holds a workspace for one transaction at a time, in its organization alone"]
)

tenancyFault(
  "a store that knows the workspaces of every organization",
  () => ({ knownWorkspaces: (_organizationId, ids) => Effect.succeed(new Set(ids)) }),
  ["knows which of several workspaces are an organization's"]
)

tenancyFault(
  "a store that changes workspaces by their id alone",
  (store) => {
    const owners = new Map<string, Workspace["organizationId"]>()
    return {
      insertWorkspace: (workspace) => {
        owners.set(workspace.id, workspace.organizationId)
        return store.insertWorkspace(workspace)
      },
      updateWorkspace: (workspace) =>
        store.updateWorkspace({
          ...workspace,
          organizationId: owners.get(workspace.id) ?? workspace.organizationId
        })
    }
  },
  ["changes no workspace of another organization, and none in a transaction that fails"]
)
