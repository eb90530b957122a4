/** Converts bodies about keys into the domain's terms. */
import type { apiKeys } from "@agent-platform/contract"
import { type ApiKeyChange, canonicalNetworks } from "@agent-platform/keys"
import { DateTime } from "effect"

/** The networks in canonical form. The schema has refused texts that are no networks. */
export const canonicalOf = (networks: ReadonlyArray<string>): ReadonlyArray<string> => canonicalNetworks(networks) ?? []

/** When the new key expires. Callers name either the time or the seconds until then. */
export const expiryOf = (payload: typeof apiKeys.NewApiKey.Type, now: DateTime.Utc): DateTime.Utc | undefined => {
  const seconds = payload.expiresInSeconds ?? undefined
  return seconds === undefined ? (payload.expiresAt ?? undefined) : DateTime.add(now, { seconds })
}

/** The change of a key that a body asks for. */
export const changeOf = ({ allowedIps, status, ...rest }: typeof apiKeys.ApiKeyChange.Type): ApiKeyChange => ({
  ...rest,
  ...(allowedIps === undefined ? {} : { allowedIps: canonicalOf(allowedIps) }),
  ...(status === undefined ? {} : { disabled: status === "disabled" })
})
