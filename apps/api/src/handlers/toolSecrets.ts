import { Api, Conflict } from "@agent-platform/contract"
import { type ToolSecretChanged, ToolSecretId, ToolSecrets, type ToolSecretTaken } from "@agent-platform/keys"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, notFound, urlNotPublic } from "../edge/problems.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"
import { versionOf } from "../ifMatch.ts"
import { quotaProblems } from "../quotas.ts"
import { mismatch, newSecretIn, redacted } from "./toolSecretBodies.ts"

const PATH = "/api/v1/tool-secrets"

const problems = {
  ToolSecretNotFound: notFound,
  ToolSecretTaken: ({ by }: ToolSecretTaken) =>
    new Conflict({
      code: "tool_secret_exists",
      detail:
        by === "name"
          ? "Another tool secret of the workspace has this name"
          : "Another tool secret of the workspace has this host_pattern with the same header"
    })
}

const changed = ({ version }: ToolSecretChanged) =>
  new Conflict({ code: "version_conflict", detail: `The secret has changed: it is at version ${version}` })

/** A workspace's credentials for the hosts that its agents' tools call. */
export const layerToolSecrets = HttpApiBuilder.group(
  Api,
  "toolSecrets",
  Effect.fnUntraced(function* (handlers) {
    const secrets = yield* ToolSecrets
    const cursors = yield* makeCursors
    const idempotencyOf = yield* makeIdempotencyOf
    return handlers.handleAll({
      listToolSecrets: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* workspaceCaller
        const scope = { route: `GET ${PATH}`, owner: caller.workspaceId, filters: {} }
        return yield* cursors.page(
          scope,
          query,
          (page) => secrets.listToolSecrets({ caller, page }),
          (secret) => secret
        )
      }),

      createToolSecret: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* workspaceCaller
        const given = newSecretIn(payload)
        // Never happens, since the schema refuses such bodies.
        if (given === undefined) return yield* notFound()
        const created = yield* secrets
          .createToolSecret({
            caller,
            ...given,
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.workspaceId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              ...problems,
              ...quotaProblems,
              ...idempotencyProblems,
              UrlNotPublic: ({ detail }) => urlNotPublic("/oauth/token_url", detail)
            })
          )
        return creation(created.value, created.replayed)
      }),

      getToolSecret: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const id = yield* idOf(ToolSecretId, params.secret_id)
        return yield* secrets.readToolSecret({ caller, id }).pipe(Effect.catchTag("ToolSecretNotFound", notFound))
      }),

      updateToolSecret: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const caller = yield* workspaceCaller
        const { name, oauth, value } = payload
        return yield* secrets
          .updateToolSecret({
            caller,
            id: yield* idOf(ToolSecretId, params.secret_id),
            ifVersion: versionOf(headers),
            change: { name, oauth, value: redacted(value), clientSecret: redacted(oauth?.clientSecret) }
          })
          .pipe(Effect.catchTags({ ...problems, ToolSecretChanged: changed, ToolSecretMismatch: mismatch }))
      }),

      deleteToolSecret: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const id = yield* idOf(ToolSecretId, params.secret_id)
        yield* secrets.deleteToolSecret({ caller, id }).pipe(Effect.catchTag("ToolSecretNotFound", notFound))
        return { id, status: "deleted" as const }
      })
    })
  })
)
