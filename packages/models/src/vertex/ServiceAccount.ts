/** A service account of Google Cloud, as its key file describes it. */
import { Option, Redacted, Schema } from "effect"
import { base64url, importPKCS8, SignJWT } from "jose"

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

/** The text of a key in base64, of either alphabet; undefined where it is none. */
const textOf = (key: Redacted.Redacted): string | undefined => {
  try {
    return new TextDecoder().decode(base64url.decode(Redacted.value(key)))
  } catch {
    return undefined
  }
}

/** The account of a provider key, which is a key file in base64; undefined where it is none. */
export const readServiceAccount = (key: Redacted.Redacted): ServiceAccount | undefined => {
  const file = Option.getOrUndefined(decode(textOf(key)))
  if (file === undefined) return undefined
  return {
    email: file.client_email,
    privateKey: Redacted.make(file.private_key),
    privateKeyId: file.private_key_id
  }
}

const LIFETIME_SECONDS = 3_600
const SCOPE = "https://www.googleapis.com/auth/cloud-platform"

/**
 * The signed statement (RFC 7523) that Google exchanges for a token for `audience`. Rejects where the private key cannot be read.
 */
export const signedAssertion = async (
  { email, privateKey, privateKeyId }: ServiceAccount,
  audience: string,
  nowSeconds: number
): Promise<string> =>
  new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: privateKeyId })
    .setIssuer(email)
    .setAudience(audience)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + LIFETIME_SECONDS)
    .sign(await importPKCS8(Redacted.value(privateKey), "RS256"))
