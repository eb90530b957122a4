/** Logins through identity providers. */

const NAMES: ReadonlyMap<string, string> = new Map([
  ["google", "Google"],
  ["github", "GitHub"]
])

/** A provider's name as people write it. One that the operator has added is called by its id with a capital. */
export const providerName = (provider: string): string =>
  NAMES.get(provider) ?? provider.charAt(0).toUpperCase() + provider.slice(1)

/** The query parameter that says why a login failed. */
const ERROR_PARAMETER = "login_error"

/** The address that begins a login, which leads back to `here` when it is over. */
export const providerLink = (loginUrl: string, here: string): string => {
  const back = new URL(here)
  back.searchParams.delete(ERROR_PARAMETER)
  back.hash = ""
  const link = new URL(loginUrl, here)
  link.searchParams.set("return_to", back.href)
  return link.href
}

/** A map, since the reason comes from an address: a property such as `constructor` is no reason. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["access_denied", "The login was declined at the identity provider."],
  ["temporarily_unavailable", "The identity provider is not available. Try again in a moment."]
])

/** Why a login failed, from the query of the address that it led back to; undefined where none failed. */
export const loginFailure = (search: string): string | undefined => {
  const reason = new URLSearchParams(search).get(ERROR_PARAMETER)
  if (reason === null) return undefined
  return REASONS.get(reason) ?? "The login did not succeed. Try again, or ask who runs this platform."
}
