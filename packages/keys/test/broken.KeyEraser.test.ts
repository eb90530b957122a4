/** Erasers that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { KeyEraser } from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { keyEraserContract } from "@agent-platform/keys/testing"
import { Effect, Layer } from "effect"
import { faultsOf } from "../../kernel/test/faultsOf.ts"

const fault = faultsOf(KeyEraser, Layer.provideMerge(stores, kernel), keyEraserContract)

const CLOSES = "closes a workspace: it and its keys are unknown, its organization's are not"
const ERASES = "erases the keys of a workspace, those that replaced each other included, and leaves its row unnamed"
const PLACES = "has ten erased workspaces take the place of one"
const OF_PEOPLE = "erases a person in every organization, and their name from the keys that they made"

fault("an eraser that leaves workspaces open", () => ({ closeWorkspace: () => Effect.void }), [CLOSES, PLACES])

fault("an eraser that leaves organizations open", () => ({ closeOrganization: () => Effect.void }), [
  "closes an organization with its workspaces and keys, and no other"
])

fault(
  "an eraser that leaves the keys of a workspace",
  (eraser) => ({
    erase: (what, max) =>
      what._tag === "Tenant" && what.workspaceId !== null
        ? Effect.succeed({ counts: {}, isOver: true })
        : eraser.erase(what, max)
  }),
  [ERASES]
)

fault("an eraser that leaves the name of a workspace", (eraser) => ({ eraseWorkspace: eraser.closeWorkspace }), [
  ERASES
])

fault("an eraser that leaves the row of a workspace", () => ({ removeWorkspace: () => Effect.void }), [ERASES])

fault(
  "an eraser that leaves the members of an organization",
  (eraser) => ({
    erase: (what, max) =>
      what._tag === "Tenant" && what.workspaceId === null
        ? Effect.succeed({ counts: {}, isOver: true })
        : eraser.erase(what, max)
  }),
  ["erases the members of an organization, and those identities that are a member of nothing else"]
)

fault(
  "an eraser that leaves the identity of a person, and their name",
  (eraser) => ({
    erase: (what, max) => eraser.erase(what._tag === "Person" ? { ...what, userId: null } : what, max)
  }),
  [OF_PEOPLE]
)

fault(
  "an eraser that forgets a person's other memberships",
  (eraser) => ({
    erase: (what, max) =>
      eraser.erase(what._tag === "Person" ? { ...what, memberIds: what.memberIds.slice(0, 1) } : what, max)
  }),
  [OF_PEOPLE]
)

fault(
  "an eraser that does not find who was only invited",
  (eraser) => ({
    holdPerson: (organizationId, id) =>
      Effect.map(eraser.holdPerson(organizationId, id), (found) => (found?.userId === null ? undefined : found))
  }),
  ["finds somebody who was only invited by the member's id, in that organization alone"]
)
