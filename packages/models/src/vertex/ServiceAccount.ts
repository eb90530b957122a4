/** A service account of Google Cloud, as its key file describes it. */
import { Buffer } from "node:buffer"
import { Option, Redacted, Schema } from "effect"

/** The members of a key file that a token is asked for with. */
export interface ServiceAccount {
  readonly email: string
  /** A PKCS #8 key in PEM. */
  readonly privateKey: Redacted.Redacted
  readonly privateKeyId: string
}

const KeyFile = Schema.fromJsonString(
  Schema.Struct({
    type: Schema.Literal("service_account"),
    client_email: Schema.NonEmptyString,
    private_key: Schema.NonEmptyString,
    private_key_id: Schema.String
  })
)

const decode = Schema.decodeUnknownOption(KeyFile)

/** The account of a provider key, which is a key file in base64; undefined where it is none. */
export const readServiceAccount = (key: Redacted.Redacted): ServiceAccount | undefined => {
  const bytes = Buffer.from(Redacted.value(key), "base64")
  const file = Option.getOrUndefined(decode(bytes.toString("utf8")))
  if (file === undefined) return undefined
  return {
    email: file.client_email,
    privateKey: Redacted.make(file.private_key),
    privateKeyId: file.private_key_id
  }
}

const LIFETIME_SECONDS = 3_600
const SCOPE = "https://www.googleapis.com/auth/cloud-platform"

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const derOf = (pem: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ""), "base64"))

const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }

/**
 * The signed statement (RFC 7523) that Google changes for a token for `audience`. Rejects where the private key cannot be read.
 */
export const signedAssertion = async (
  { email, privateKey, privateKeyId }: ServiceAccount,
  audience: string,
  nowSeconds: number
): Promise<string> => {
  const head = encoded({ alg: "RS256", typ: "JWT", kid: privateKeyId })
  const claims = encoded({
    iss: email,
    scope: SCOPE,
    aud: audience,
    iat: nowSeconds,
    exp: nowSeconds + LIFETIME_SECONDS
  })
  const key = await crypto.subtle.importKey("pkcs8", derOf(Redacted.value(privateKey)), ALGORITHM, false, ["sign"])
  const signature = await crypto.subtle.sign(ALGORITHM, key, new TextEncoder().encode(`${head}.${claims}`))
  return `${head}.${claims}.${Buffer.from(signature).toString("base64url")}`
}
