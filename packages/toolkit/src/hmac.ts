// biome-ignore lint/correctness/noNodejsModules: the one import from Node in a pure package; Deno has the module, too
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"

/** A key that was made ready for many codes: `createHmac` takes several times as long to take in bytes. */
export type HmacKey = KeyObject

/** The key of these bytes. */
export const hmacKey = (bytes: Uint8Array): HmacKey => createSecretKey(bytes)

/** The HMAC-SHA256 of the parts, one after another, written like this. A key that is text is its UTF-8. */
export const hmacSha256 = (
  key: string | Uint8Array | HmacKey,
  encoding: "hex" | "base64" | "base64url",
  ...parts: ReadonlyArray<string | Uint8Array>
): string => {
  const code = createHmac("sha256", key)
  for (const part of parts) code.update(part)
  return code.digest(encoding)
}
