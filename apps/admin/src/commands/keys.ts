import { Keys } from "@agent-platform/keys"
import { DateTime, Effect, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { databaseCommand } from "../databaseCommand.ts"
import { described, JsonFlag } from "../described.ts"
import { descendantsFlag, graceFlag, keyFlag, nameFlag, organizationFlag, scopesFlag, workspaceFlag } from "../flags.ts"
import { makeKey } from "../founding.ts"
import { everyPage, explainRefusals, GRANTOR, OPERATOR, ownerOf } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"
import { keyRow } from "../rows.ts"
import { A_KEY, A_WORKSPACE, AN_ORGANIZATION } from "../shapes.ts"

const OF_ACME = `--organization ${AN_ORGANIZATION.id}`
const OF_ITS_WORKSPACE = `${OF_ACME} --workspace ${A_WORKSPACE.id}`
const NEW_KEY = { ...A_KEY, key: "apk_org_\u2026" }

const owner = { organization: organizationFlag, workspace: workspaceFlag }

const create = databaseCommand({
  name: "create",
  does: "Create a key; prints JSON, its value this once",
  examples: [
    `keys create ${OF_ACME}`,
    `keys create ${OF_ITS_WORKSPACE} --name Recovery`,
    `keys create ${OF_ITS_WORKSPACE} --name Erasing --scope data:erase`
  ],
  prints: NEW_KEY,
  flags: {
    ...owner,
    name: nameFlag("name", "What the key is for; 'Made by the operator' without it").pipe(
      Flag.withDefault("Made by the operator")
    ),
    scopes: scopesFlag
  },
  run: Effect.fn(function* ({ name, organization, scopes, workspace }) {
    const whose = yield* ownerOf(organization, workspace)
    const named = scopes.length === 0 ? undefined : scopes
    const { key, value } = yield* explainRefusals(makeKey(whose, name, named))
    yield* printJson({ ...keyRow(key, yield* DateTime.now), key: value })
  })
})

const list = databaseCommand({
  name: "list",
  does: "List the keys of a workspace or of the organization itself; never their values",
  examples: [`keys list ${OF_ACME}`, `keys list ${OF_ITS_WORKSPACE} --json`],
  prints: { items: [A_KEY] },
  flags: owner,
  run: Effect.fn(function* ({ organization, workspace }) {
    const keys = yield* Keys
    const whose = yield* ownerOf(organization, workspace)
    const found = yield* everyPage((page) => keys.listApiKeys({ owner: whose, page }))
    const now = yield* DateTime.now
    const columns = ["id", "name", "hint", "status", "created_at", "expires_at", "last_used_at"]
    yield* printRows(
      found.map((key) => keyRow(key, now)),
      columns,
      yield* JsonFlag
    )
  })
})

const rotate = databaseCommand({
  name: "rotate",
  does: "Give a key a successor under another value; prints JSON, the value this once",
  examples: [
    `keys rotate ${OF_ACME} --key ${A_KEY.id}`,
    `keys rotate ${OF_ITS_WORKSPACE} --key ${A_KEY.id} --grace-seconds 3600`
  ],
  prints: { new: NEW_KEY, old: A_KEY },
  flags: { ...owner, key: keyFlag, graceSeconds: graceFlag },
  run: Effect.fn(function* ({ graceSeconds, key, organization, workspace }) {
    const keys = yield* Keys
    const { value: rotation } = yield* keys
      .rotateApiKey({
        owner: yield* ownerOf(organization, workspace),
        id: key,
        // A rotation makes a key, so it takes what the operator may give; a revocation takes the actor alone.
        rotator: GRANTOR,
        graceSeconds,
        idempotency: undefined
      })
      .pipe(explainRefusals)
    const now = yield* DateTime.now
    // The value is null only where a request with an idempotency key comes again, which no command has.
    const text = rotation.value === null ? null : Redacted.value(rotation.value)
    yield* printJson({ new: { ...keyRow(rotation.key, now), key: text }, old: keyRow(rotation.old, now) })
  })
})

const revoke = databaseCommand({
  name: "revoke",
  does: "Revoke a key, from its next request on and for ever; prints JSON",
  examples: [
    `keys revoke ${OF_ACME} --key ${A_KEY.id} --descendants`,
    `keys revoke ${OF_ITS_WORKSPACE} --key ${A_KEY.id}`
  ],
  prints: { ...A_KEY, status: "revoked", descendants_revoked: 3 },
  flags: { ...owner, key: keyFlag, descendants: descendantsFlag },
  run: Effect.fn(function* ({ descendants, key, organization, workspace }) {
    const keys = yield* Keys
    const command = { owner: yield* ownerOf(organization, workspace), id: key, actor: OPERATOR }
    const revoked = descendants
      ? yield* explainRefusals(keys.revokeWithDescendants(command))
      : { key: yield* explainRefusals(keys.revokeApiKey(command)), descendants: null }
    yield* printJson({ ...keyRow(revoked.key, yield* DateTime.now), descendants_revoked: revoked.descendants })
  })
})

/** Commands about keys: the way back in when every one of them is lost. */
export const keys = Command.make("keys").pipe(
  described({ does: "API keys of an organization and of its workspaces", examples: [`keys list ${OF_ACME}`] }),
  Command.withSubcommands([create, list, rotate, revoke])
)
