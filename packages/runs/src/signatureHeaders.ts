import { hmacSha256 } from "@agent-platform/toolkit"
import { Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"

const SECRET_PREFIX = "whsec_"

/**
 * The headers by which an agent recognises our requests, the same as those of deliveries: our own signature, whose key is the
 * whole secret, and the three headers of Standard Webhooks, whose key is the secret's decoded part. Spec: Signature.
 */
export const signatureHeaders = (request: {
  /** The secrets that sign: the current one, and one before it during a rotation. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly timestampSeconds: number
  /** The same when a request is repeated. */
  readonly id: string
  readonly body: string
  readonly headerPrefix: string
}): Readonly<Record<string, string>> => {
  const { body, headerPrefix, id, timestampSeconds } = request
  const secrets = request.secrets.map(Redacted.value)
  const own = secrets.map((secret) => `v1=${hmacSha256(secret, "hex", `${timestampSeconds}.${body}`)}`)
  const standard = secrets.map((secret) => {
    const key = Result.getOrThrow(Base64.decode(secret.slice(SECRET_PREFIX.length)))
    return `v1,${hmacSha256(key, "base64", `${id}.${timestampSeconds}.${body}`)}`
  })
  return {
    "user-agent": "agent-platform-runs",
    [`${headerPrefix}-signature`]: [`t=${timestampSeconds}`, ...own].join(","),
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": standard.join(" ")
  }
}
