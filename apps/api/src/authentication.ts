/** Who is calling, and may they? Contract: Identity and keys. */
import { IncomingMessage } from "node:http"
import {
  Access,
  Authentication,
  BadRequest,
  type Caller,
  CurrentCaller,
  type EndpointAccess,
  Forbidden,
  Unauthorized
} from "@agent-platform/contract"
import { parseId, WorkspaceId } from "@agent-platform/kernel"
import { type Authenticated, Keys } from "@agent-platform/keys"
import { Context, Effect, Layer, Redacted } from "effect"
import { type Headers, HttpServerRequest } from "effect/http"
import { answerFault } from "./edge/faults.ts"
import { notFound, workspaceRequired } from "./edge/problems.ts"
import { promptly } from "./edge/promptly.ts"
import { KeyWatch, watchKey } from "./KeyWatch.ts"

const missing = () =>
  new Unauthorized({
    code: "missing_credential",
    detail: "Send an API key as Authorization: Bearer <key> or as X-API-Key: <key>"
  })

const malformed = () =>
  new Unauthorized({
    code: "malformed_credential",
    detail: "The credential is not an API key: its form or checksum is wrong"
  })

const refusals = {
  expired: () => new Unauthorized({ code: "credential_expired", detail: "The API key has expired" }),
  revoked: () => new Unauthorized({ code: "credential_revoked", detail: "The API key was revoked" }),
  disabled: () => new Unauthorized({ code: "credential_disabled", detail: "The API key is disabled" })
}

/** The value of a header; one that holds nothing counts as absent. */
const valueOf = (headers: Headers.Headers, name: string): string | undefined => {
  const value = headers[name]?.trim()
  return value === "" ? undefined : value
}

/** The credential behind `Bearer`, nothing for an empty one, and for another scheme what cannot be a key. */
const bearerOf = (authorization: string | undefined): string | undefined => {
  if (authorization === undefined || /^bearer$/i.test(authorization)) return undefined
  return /^bearer +/i.test(authorization) ? authorization.replace(/^bearer +/i, "") : authorization
}

/** Every value of the Authorization header. Node hands on the first of several and says nothing of the others. */
const authorizationsOf = (request: HttpServerRequest.HttpServerRequest): ReadonlyArray<string | undefined> => {
  const { source } = request
  const distinct = source instanceof IncomingMessage ? source.headersDistinct.authorization : undefined
  return distinct ?? [request.headers.authorization]
}

/** The one credential of a request. Spec: API keys 2 and 3. */
const credentialOf = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Redacted.Redacted, BadRequest | Unauthorized> => {
  const [bearer, ...others] = new Set(authorizationsOf(request).map((value) => bearerOf(value?.trim() || undefined)))
  const apiKey = valueOf(request.headers, "x-api-key")
  if (others.length > 0 || (bearer !== undefined && apiKey !== undefined && bearer !== apiKey)) {
    return Effect.fail(
      new BadRequest({
        code: "conflicting_credentials",
        detail: "The credential headers hold different values. Send one of them"
      })
    )
  }
  const credential = bearer ?? apiKey
  return credential === undefined ? Effect.fail(missing()) : Effect.succeed(Redacted.make(credential))
}

const callerOf = ({ key, workspaceId }: Authenticated): Caller => ({
  organizationId: key.organizationId,
  workspaceId,
  actor: { type: "user", id: key.id, label: key.name },
  scopes: key.scopes,
  key: { id: key.id, name: key.name, kind: key.kind, expiresAt: key.expiresAt }
})

const demand = (caller: Caller, access: EndpointAccess): Effect.Effect<void, BadRequest | Forbidden> => {
  if (access.reach === "organization" && caller.key.kind !== "organization") {
    return Effect.fail(
      new Forbidden({ code: "org_key_required", detail: "This operation takes an organization key only" })
    )
  }
  if (access.scope !== null && !caller.scopes.includes(access.scope)) {
    return Effect.fail(
      new Forbidden({ code: "insufficient_scope", detail: `The API key lacks the scope ${access.scope}` })
    )
  }
  return access.reach === "workspace" && caller.workspaceId === undefined
    ? Effect.fail(workspaceRequired())
    : Effect.void
}

/** Authentication over the service that keeps the keys. */
export const layerAuthentication: Layer.Layer<Authentication, never, Keys> = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const keys = yield* Keys

    const recognise = (credential: Redacted.Redacted, workspace: string | undefined) => {
      const workspaceId = workspace === undefined ? undefined : parseId(WorkspaceId, workspace)
      return promptly(keys.authenticate({ credential, workspaceId })).pipe(
        // A workspace id that is not one is answered like an unknown one, and not before the key is known to be good.
        Effect.filterOrFail(() => workspace === undefined || workspaceId !== undefined, notFound),
        Effect.catchTags({
          MalformedCredential: () => Effect.fail(malformed()),
          CredentialUnknown: () =>
            Effect.fail(new Unauthorized({ code: "invalid_credential", detail: "There is no such API key" })),
          CredentialRefused: ({ reason }) => Effect.fail(refusals[reason]()),
          WorkspaceNotFound: () => Effect.fail(notFound())
        })
      )
    }

    // Both schemes end here, since either header may hold the credential. Failures are answered at once: a failure of
    // one scheme would have the other tried, and the store asked twice.
    const guard: Context.Service.Shape<typeof Authentication>["bearer"] = (respond, { endpoint }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const credential = yield* credentialOf(request)
        const workspace = valueOf(request.headers, "x-workspace-id")
        const caller = callerOf(yield* recognise(credential, workspace))
        yield* demand(caller, Context.getUnsafe(endpoint.annotations, Access))
        return { caller, watch: watchKey(recognise(credential, workspace)) }
      }).pipe(
        Effect.matchCauseEffect({
          onFailure: answerFault,
          onSuccess: ({ caller, watch }) =>
            respond.pipe(Effect.provideService(CurrentCaller, caller), Effect.provideService(KeyWatch, watch))
        })
      )
    return Authentication.of({ bearer: guard, apiKey: guard })
  })
)
