/** Asks a token endpoint for an access token by the grant client_credentials. RFC 6749, section 4.4. */
import { type Egress, type EgressPurpose, readJson } from "@agent-platform/kernel"
import type { OAuthClient, ToolSecret } from "@agent-platform/keys"
import { Effect, Redacted } from "effect"
import { at, textAt } from "../ProviderAnswer.ts"
import { SecretUnusable } from "./SecretUnusable.ts"

/** Over look-up, connection, headers and body together, in milliseconds. */
const TOKEN_MILLIS_MAX = 15_000

/** Most bytes of an answer. */
const ANSWER_BYTES_MAX = 64 * 1024

/** A token that a header can carry, and that is long enough to be redacted where a server repeats it. */
const TOKEN = /^[\x21-\x7e]{8,8192}$/

/** The form of a server's own code for what is wrong. */
const CODE = /^[a-z_]{1,64}$/

/** How long a token is kept of which the server does not say how long it lives, and any other at most, in seconds. */
const LIFETIME_SECONDS_DEFAULT = 300
const LIFETIME_SECONDS_MAX = 24 * 60 * 60

/** A token is kept until a tenth of its life is left, or this many seconds if they are fewer. */
const MARGIN_SECONDS_MAX = 60

/** An access token, and how long it may be kept. */
export interface AccessToken {
  readonly value: Redacted.Redacted
  /** 0 for one that serves the request alone for which it was fetched. */
  readonly keptMillis: number
}

/** A client of an authorization server with its secret, and what its tokens are for. */
export interface TokenClient {
  readonly purpose: EgressPurpose
  readonly secret: ToolSecret
  readonly oauth: OAuthClient
  readonly clientSecret: Redacted.Redacted
}

/** A text as it stands in a form. */
const encoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

const requestOf = ({ clientSecret, oauth, purpose }: TokenClient) => {
  const { authMethod, clientId, scope, tokenUrl } = oauth
  const secret = Redacted.value(clientSecret)
  const isBasic = authMethod === "client_secret_basic"
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope === null ? {} : { scope }),
    ...(isBasic ? {} : { client_id: clientId, client_secret: secret })
  })
  const credentials = Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString("base64")
  return {
    purpose,
    method: "POST" as const,
    url: tokenUrl,
    headers: {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
      ...(isBasic ? { authorization: `Basic ${credentials}` } : {})
    },
    body: form.toString(),
    deadlineMillis: TOKEN_MILLIS_MAX,
    // One byte more tells an answer that is too long.
    readBytesMax: ANSWER_BYTES_MAX + 1
  }
}

/** How long a token is kept that lives for so many seconds, as the server says it: a number, perhaps in a text. */
const keptMillisOf = (expiresIn: unknown): number => {
  if (expiresIn === undefined || expiresIn === null) return LIFETIME_SECONDS_DEFAULT * 1_000
  const said = typeof expiresIn === "string" && /^\d{1,15}$/.test(expiresIn) ? Number(expiresIn) : expiresIn
  if (typeof said !== "number" || !(said > 0)) return 0
  const seconds = Math.min(said, LIFETIME_SECONDS_MAX)
  return Math.floor((seconds - Math.min(seconds / 10, MARGIN_SECONDS_MAX)) * 1_000)
}

/** Fetches a token. Fails with SecretUnusable, whose sentence holds nothing that the server wrote but its code. */
export const fetchAccessToken = Effect.fnUntraced(function* (egress: Egress["Service"], client: TokenClient) {
  const unusable = (why: string) =>
    new SecretUnusable({ detail: `There is no access token for the secret '${client.secret.name}': ${why}` })
  const { body, status } = yield* Effect.mapError(egress.send(requestOf(client)), ({ detail }) => unusable(detail))
  if (body.length > ANSWER_BYTES_MAX) return yield* unusable(`the answer has more than ${ANSWER_BYTES_MAX} bytes`)
  const answer = readJson(new TextDecoder().decode(body)).value
  if (status !== 200) {
    const code = textAt(answer, "error")
    return yield* unusable(`the token endpoint answered ${status}${CODE.test(code) ? ` ${code}` : ""}`)
  }
  const token = textAt(answer, "access_token")
  const type = at(answer, "token_type") ?? "Bearer"
  if (!TOKEN.test(token)) return yield* unusable("the token endpoint answered with none that can be sent")
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") {
    return yield* unusable("the token endpoint answered with one of another type than Bearer")
  }
  const fetched: AccessToken = { value: Redacted.make(token), keptMillis: keptMillisOf(at(answer, "expires_in")) }
  return fetched
})
