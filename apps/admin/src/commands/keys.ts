import { Keys } from "@agent-platform/keys"
import { DateTime, Effect, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { graceFlag, jsonFlag, keyFlag, nameFlag, organizationFlag, workspaceFlag } from "../flags.ts"
import { makeKey } from "../founding.ts"
import { everyPage, GRANTOR, inWords, OPERATOR, overDatabase, ownerOf } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"
import { keyRow } from "../rows.ts"

const owner = { organization: organizationFlag, workspace: workspaceFlag }

const create = Command.make(
  "create",
  { ...owner, name: nameFlag("name", "What the key is for").pipe(Flag.withDefault("Made by the operator")) },
  ({ name, organization, workspace }) =>
    overDatabase(
      Effect.gen(function* () {
        const { key, value } = yield* makeKey(yield* ownerOf(organization, workspace), name)
        yield* printJson({ ...keyRow(key, yield* DateTime.now), key: value })
      })
    )
).pipe(Command.withDescription("Create a key with every scope of its kind; prints JSON, its value this once"))

const list = Command.make("list", { ...owner, json: jsonFlag }, ({ json, organization, workspace }) =>
  overDatabase(
    Effect.gen(function* () {
      const keys = yield* Keys
      const whose = yield* ownerOf(organization, workspace)
      const found = yield* everyPage((page) => keys.listApiKeys({ owner: whose, page }))
      const now = yield* DateTime.now
      const columns = ["id", "name", "hint", "status", "created_at", "expires_at", "last_used_at"]
      yield* printRows(
        found.map((key) => keyRow(key, now)),
        columns,
        json
      )
    })
  )
).pipe(Command.withDescription("List the keys of a workspace or of the organization itself; never their values"))

const rotate = Command.make(
  "rotate",
  { ...owner, key: keyFlag, graceSeconds: graceFlag },
  ({ graceSeconds, key, organization, workspace }) =>
    overDatabase(
      Effect.gen(function* () {
        const keys = yield* Keys
        const { value: made } = yield* keys
          .rotateApiKey({
            owner: yield* ownerOf(organization, workspace),
            id: key,
            rotator: GRANTOR,
            graceSeconds,
            idempotency: undefined
          })
          .pipe(inWords)
        const now = yield* DateTime.now
        const value = made.value === null ? null : Redacted.value(made.value)
        yield* printJson({ new: { ...keyRow(made.key, now), key: value }, old: keyRow(made.old, now) })
      })
    )
).pipe(Command.withDescription("Give a key a successor under another value; prints JSON, the value this once"))

const revoke = Command.make("revoke", { ...owner, key: keyFlag }, ({ key, organization, workspace }) =>
  overDatabase(
    Effect.gen(function* () {
      const keys = yield* Keys
      const revoked = yield* keys
        .revokeApiKey({ owner: yield* ownerOf(organization, workspace), id: key, actor: OPERATOR })
        .pipe(inWords)
      yield* printJson(keyRow(revoked, yield* DateTime.now))
    })
  )
).pipe(Command.withDescription("Revoke a key, from its next request on and for ever; prints JSON"))

/** What an operator does about keys: the way back in when every one of them is lost. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys of an organization and of its workspaces"),
  Command.withSubcommands([create, list, rotate, revoke])
)
