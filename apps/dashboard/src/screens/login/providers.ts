/** Logins through identity providers. */

const NAMES: Readonly<Record<string, string>> = { google: "Google", github: "GitHub" }

/** How people call a provider; of one that the operator has named, that name. */
export const providerName = (provider: string): string =>
  NAMES[provider] ?? provider.charAt(0).toUpperCase() + provider.slice(1)

const ERROR = "login_error"

/** Where a login begins that leads back to where one is. */
export const providerLink = (loginUrl: string, here: string): string => {
  const back = new URL(here)
  back.searchParams.delete(ERROR)
  back.hash = ""
  const link = new URL(loginUrl, here)
  link.searchParams.set("return_to", back.href)
  return link.href
}

const REASONS: Readonly<Record<string, string>> = {
  access_denied: "The login was declined at the identity provider.",
  temporarily_unavailable: "The identity provider is not available. Try again in a moment."
}

/** Why nobody is signed in after a login, from the address that it led back to; undefined where none has failed. */
export const loginFailure = (search: string): string | undefined => {
  const reason = new URLSearchParams(search).get(ERROR)
  if (reason === null) return undefined
  return REASONS[reason] ?? "The login did not succeed. Try again, or ask who runs this platform."
}
