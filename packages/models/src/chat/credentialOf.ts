/** The credential that a request to a model carries: the key, or a token that the key is good for. */
import type { KeyCandidate } from "@agent-platform/keys"
import { Effect, type Redacted } from "effect"
import type { GoogleTokens, TokenRefused } from "../vertex/googleTokens.ts"
import type { CallOutcome } from "./CallOutcome.ts"
import { refusalOf } from "./refusals.ts"

/** A credential, or the outcome of a call that cannot be made for want of one. Nothing was sent to the model then. */
export type Credential = { readonly _tag: "Usable"; readonly value: Redacted.Redacted } | CallOutcome

const refused = (key: Redacted.Redacted, { answer, outcome }: TokenRefused): CallOutcome => ({
  _tag: "Refused",
  refusal:
    answer === undefined
      ? {
          kind: "key",
          providerStatus: null,
          providerCode: null,
          retryAfterSeconds: undefined,
          detail: "The key for vertex is no key file of a service account in base64"
        }
      : refusalOf("vertex", answer, key, outcome)
})

/** The credential for a key. Asks Google for a token where it is one of Vertex AI. */
export const credentialOf = (tokens: GoogleTokens, { provider, value }: KeyCandidate): Effect.Effect<Credential> =>
  provider !== "vertex"
    ? Effect.succeed({ _tag: "Usable", value })
    : tokens.get(value).pipe(
        Effect.map((token): Credential => ({ _tag: "Usable", value: token })),
        Effect.catchTags({
          TokenRefused: (problem) => Effect.succeed(refused(value, problem)),
          RequestFailed: ({ detail, reason }) =>
            Effect.succeed<Credential>({ _tag: "Broken", code: reason, detail: `Google gave no token: ${detail}` })
        })
      )
