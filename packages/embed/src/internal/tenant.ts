import { createHash } from "node:crypto"
import { OrganizationId } from "@agent-platform/kernel"
import { TENANT_BYTES_MAX, TENANT_NAMESPACE } from "@agent-platform/postgres"
import { EmbedError } from "./EmbedError.ts"

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Why Postgres cannot store a text; undefined for a text that it can. */
export const whyNotStorable = (text: string): string | undefined => {
  if (text.includes("\u0000")) return "holds the character U+0000, which Postgres cannot keep"
  return text.isWellFormed() ? undefined : "holds half of a surrogate pair, which is no Unicode"
}

/** The UUIDv5 of a name in a namespace. */
export const uuidOf = (namespace: string, name: string): string => {
  const bytes = Buffer.from(namespace.replaceAll("-", ""), "hex")
  const hash = createHash("sha1").update(bytes).update(name, "utf8").digest().subarray(0, 16)
  // The bits of version 5 and of the variant. RFC 9562, 5.5.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return hash.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

/** Refuses a text that cannot name a tenant, or something else of the host's such as a reader. */
export const requireTenant = (tenant: string, what = "tenant"): void => {
  const refuse = (why: string) =>
    new EmbedError(`${what}_invalid`, `A ${what} is a text of 1 to ${TENANT_BYTES_MAX} bytes: ${why}`)
  if (typeof tenant !== "string") throw refuse(`this is ${tenant === null ? "null" : `of type ${typeof tenant}`}`)
  const bytes = Buffer.byteLength(tenant, "utf8")
  if (bytes === 0 || bytes > TENANT_BYTES_MAX) throw refuse(`this one has ${bytes}`)
  const why = whyNotStorable(tenant)
  if (why !== undefined) throw refuse(`this one ${why}`)
}

/** The id that a tenant of the host stands for inside: a UUID is its own, in lower case; any other text has a UUIDv5. */
export const tenantId = (tenant: string): OrganizationId => {
  requireTenant(tenant)
  return OrganizationId.make(UUID.test(tenant) ? tenant.toLowerCase() : uuidOf(TENANT_NAMESPACE, tenant))
}

/** The name by which a tenant is shown: a UUID in small letters, any other text as it is. */
export const tenantName = (tenant: string): string => (UUID.test(tenant) ? tenant.toLowerCase() : tenant)
