/** The identity providers that people can log in through. */
import type { GitHubOptions, OpenIdOptions } from "@agent-platform/oauth"
import { read, type Setting, SettingInvalid, setting } from "@agent-platform/process"
import { Effect, Redacted } from "effect"

/** How the documentation shows that a provider is not configured. */
const NONE = "none"

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** A URL without TLS would give logins away to whoever listens, so only this machine's own may be one. */
const isProviderUrl = (url: URL): boolean =>
  (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname))) &&
  url.search === "" &&
  url.hash === "" &&
  url.username === "" &&
  url.password === ""

const parseProviderUrl = (text: string): string | undefined => {
  const url = URL.parse(text)
  return url !== null && isProviderUrl(url) ? text : undefined
}

const withoutSlash = (text: string): string | undefined => parseProviderUrl(text)?.replace(/\/+$/, "")

const credential = (variable: string, decides: string): Setting<Redacted.Redacted | null> =>
  setting({
    variable,
    decides,
    expects: "what the identity provider gave for the platform",
    fallback: NONE,
    parse: (text) => (text === NONE ? null : Redacted.make(text))
  })

const googleClientId = credential(
  "OAUTH_GOOGLE_CLIENT_ID",
  "The client id of the platform's registration with Google, for logins."
)
const googleClientSecret = credential(
  "OAUTH_GOOGLE_CLIENT_SECRET",
  "The client secret of the platform's registration with Google."
)
const googleIssuer = setting({
  variable: "OAUTH_GOOGLE_ISSUER",
  decides: "The OpenID Connect issuer that people log in at as google.",
  expects: "an https URL without query",
  fallback: "https://accounts.google.com",
  parse: parseProviderUrl
})

const githubClientId = credential(
  "OAUTH_GITHUB_CLIENT_ID",
  "The client id of the platform's registration with GitHub, for logins."
)
const githubClientSecret = credential(
  "OAUTH_GITHUB_CLIENT_SECRET",
  "The client secret of the platform's registration with GitHub."
)
const githubUrl = setting({
  variable: "OAUTH_GITHUB_URL",
  decides: "The GitHub, or GitHub Enterprise Server, that people log in at as github.",
  expects: "an https URL without query",
  fallback: "https://github.com",
  parse: withoutSlash
})
const githubApiUrl = setting({
  variable: "OAUTH_GITHUB_API_URL",
  decides: "The API of the GitHub, or GitHub Enterprise Server, of OAUTH_GITHUB_URL.",
  expects: "an https URL without query",
  fallback: "https://api.github.com",
  parse: withoutSlash
})

/** Every setting about logins, for the documentation. */
export const OAUTH_SETTINGS = [
  googleClientId,
  googleClientSecret,
  googleIssuer,
  githubClientId,
  githubClientSecret,
  githubUrl,
  githubApiUrl
]

/** Both of a registration or neither; fails where one is missing, for that is an oversight. */
const registration = Effect.fnUntraced(function* (
  idSetting: Setting<Redacted.Redacted | null>,
  secretSetting: Setting<Redacted.Redacted | null>
) {
  const [clientId, clientSecret] = [yield* read(idSetting), yield* read(secretSetting)]
  if (clientId !== null && clientSecret !== null) return { clientId: Redacted.value(clientId), clientSecret }
  if (clientId === null && clientSecret === null) return undefined
  const [missing, given] = clientId === null ? [idSetting, secretSetting] : [secretSetting, idSetting]
  return yield* new SettingInvalid({
    variable: missing.variable,
    detail: `is missing: ${given.variable} is set, and a provider takes both`
  })
})

/** The providers that are configured; fails with SettingInvalid, which names the variable. */
export const oauthConfig = Effect.gen(function* () {
  const [google, issuer] = [yield* registration(googleClientId, googleClientSecret), yield* read(googleIssuer)]
  const github = yield* registration(githubClientId, githubClientSecret)
  const [url, apiUrl] = [yield* read(githubUrl), yield* read(githubApiUrl)]
  const providers: { readonly google?: OpenIdOptions; readonly github?: GitHubOptions } = {
    ...(google === undefined ? {} : { google: { ...google, issuer } }),
    ...(github === undefined ? {} : { github: { ...github, url, apiUrl } })
  }
  return providers
})
