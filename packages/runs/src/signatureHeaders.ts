import { hmacSha256 } from "@agent-platform/toolkit"
import { Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"

const SECRET_PREFIX = "whsec_"

/**
 * The headers by which an agent recognises our requests, the same as those of deliveries: our own signature, whose key is the
 * whole secret, and the three headers of Standard Webhooks, whose key is the secret's decoded part. Spec: Signature.
 */
export const signatureHeaders = (request: {
  readonly secret: Redacted.Redacted
  readonly timestampSeconds: number
  /** The same when a request is repeated. */
  readonly id: string
  readonly body: string
  readonly headerPrefix: string
}): Readonly<Record<string, string>> => {
  const { body, headerPrefix, id, timestampSeconds } = request
  const secret = Redacted.value(request.secret)
  const standardKey = Result.getOrThrow(Base64.decode(secret.slice(SECRET_PREFIX.length)))
  const v1 = hmacSha256(secret, "hex", `${timestampSeconds}.${body}`)
  const standard = hmacSha256(standardKey, "base64", `${id}.${timestampSeconds}.${body}`)
  return {
    "user-agent": "agent-platform-runs",
    [`${headerPrefix}-signature`]: `t=${timestampSeconds},v1=${v1}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": `v1,${standard}`
  }
}
