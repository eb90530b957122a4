/** Requests of an agent's tools with the secrets that its workspace keeps for their hosts. */
import type {
  Egress,
  IncomingResponse,
  OutgoingRequest,
  RequestFailed,
  StreamedResponse,
  StreamRequest,
  WorkspaceId
} from "@agent-platform/kernel"
import type { ToolSecrets } from "@agent-platform/keys"
import type { Redactor } from "@agent-platform/runs"
import { Effect, Exit, Redacted, Scope } from "effect"
import type { AccessTokens } from "./accessTokens.ts"
import type { AccessToken, TokenClient } from "./fetchAccessToken.ts"
import { SecretUnusable } from "./SecretUnusable.ts"

/** As `Egress`, where a request has the secrets of its host. */
export interface VaultEgress {
  readonly send: (request: OutgoingRequest) => Effect.Effect<IncomingResponse, RequestFailed | SecretUnusable>
  readonly stream: (
    request: StreamRequest
  ) => Effect.Effect<StreamedResponse, RequestFailed | SecretUnusable, Scope.Scope>
}

/** The parts that a turn's requests are made of. */
export interface VaultParts {
  readonly egress: Egress["Service"]
  readonly secrets: ToolSecrets["Service"]
  readonly tokens: AccessTokens
  readonly redactor: Redactor
  readonly workspaceId: WorkspaceId
}

type Request = Pick<OutgoingRequest, "headers" | "purpose" | "url">

/** A token in a request. */
interface UsedToken {
  readonly client: TokenClient
  readonly token: AccessToken
}

/** The parts of credentials by password, which a host may repeat one by one. */
const passwordIn = (value: string): ReadonlyArray<string> => {
  const [, credentials] = /^basic +(\S+)$/i.exec(value) ?? []
  if (credentials === undefined) return []
  const pair = Buffer.from(credentials, "base64").toString()
  return [pair, pair.slice(pair.indexOf(":") + 1)]
}

const UNAUTHORIZED = 401

/**
 * The requests of one turn. A secret replaces a header of its name that the model wrote; a header that an agent gives for its server
 * stays. What is sent is made known to the redactor first. A host that refuses an access token is asked once more, with a new
 * one.
 */
export const makeVaultEgress = ({ egress, redactor, secrets, tokens, workspaceId }: VaultParts): VaultEgress => {
  const authorize = Effect.fnUntraced(function* <R extends Request>(request: R) {
    const opened = yield* Effect.mapError(
      secrets.openToolSecrets({ workspaceId, url: request.url }),
      ({ name }) => new SecretUnusable({ detail: `The secret '${name}' cannot be opened here` })
    )
    const given = Object.entries(request.headers)
    const isGiven = (header: string) =>
      request.purpose === "mcp" && given.some(([name]) => name.toLowerCase() === header)
    // One at most: for each header there is one secret, and all tokens are sent in the same header.
    let used: UsedToken | undefined
    const added = new Map<string, string>()
    for (const { secret, value } of opened) {
      if (isGiven(secret.header)) continue
      const text = Redacted.value(value)
      redactor.add(text, ...passwordIn(text))
      if (secret.oauth === null) added.set(secret.header, text)
      else {
        const client: TokenClient = { purpose: request.purpose, secret, oauth: secret.oauth, clientSecret: value }
        const token = yield* tokens.get(client)
        used = { client, token }
        redactor.add(Redacted.value(token.value))
        added.set(secret.header, `Bearer ${Redacted.value(token.value)}`)
      }
    }
    const kept = given.filter(([name]) => !added.has(name.toLowerCase()))
    return { used, request: { ...request, headers: Object.fromEntries([...kept, ...added]) } }
  })

  /** Forgets the token with which a request was refused. True if there was one, so that a new one can be tried. */
  const forgetRefused = (status: number, used: UsedToken | undefined) =>
    status !== UNAUTHORIZED || used === undefined
      ? Effect.succeed(false)
      : Effect.as(tokens.forget(used.client, used.token), true)

  return {
    send: Effect.fnUntraced(function* (request) {
      const first = yield* authorize(request)
      const answer = yield* egress.send(first.request)
      if (!(yield* forgetRefused(answer.status, first.used))) return answer
      return yield* egress.send((yield* authorize(request)).request)
    }),

    stream: Effect.fnUntraced(function* (request) {
      // A scope of its own, so that a refused answer's connection is closed before the request is made again.
      const scope = yield* Scope.fork(yield* Effect.scope)
      const first = yield* authorize(request)
      const answer = yield* Scope.provide(egress.stream(first.request), scope)
      if (!(yield* forgetRefused(answer.status, first.used))) return answer
      yield* Scope.close(scope, Exit.void)
      return yield* egress.stream((yield* authorize(request)).request)
    })
  }
}
