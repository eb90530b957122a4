/** The settings of the identity providers through which people can log in. */
import type { OAuthOptions, OpenIdOptions } from "@agent-platform/oauth"
import { read, type Setting, SettingInvalid, setting } from "@agent-platform/process"
import { Effect, Redacted } from "effect"

/** The value for a provider that is not configured, also in the documentation. */
const NONE = "none"

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Only a loopback URL may be without TLS, since logins would be exposed on the network otherwise. */
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

const NAMES_MAX = 20
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const NAME_LENGTH_MAX = 32

const isName = (name: string): boolean => name.length <= NAME_LENGTH_MAX && NAME.test(name)

const providers = setting<ReadonlyArray<string>>({
  variable: "OAUTH_PROVIDERS",
  decides:
    "The identity providers that people may log in through, by the names that stand in the addresses of logins. `github` is " +
    "GitHub, every other one an issuer of OpenID Connect. `google` and `github` are left out as long as they have no registration.",
  expects: `up to ${NAMES_MAX} different names of lower-case letters, digits and hyphens with commas between them, or ${NONE}`,
  fallback: "google,github",
  parse: (text) => {
    const names = text === NONE ? [] : text.split(",").map((name) => name.trim())
    return names.length <= NAMES_MAX && names.every(isName) && new Set(names).size === names.length ? names : undefined
  }
})

/** The prefix of the settings of an issuer: `OAUTH_ACME_ID` for `acme-id`. */
const prefixOf = (name: string): string => `OAUTH_${name.toUpperCase().replaceAll("-", "_")}`

const credential = (variable: string, decides: string): Setting<Redacted.Redacted | null> =>
  setting({
    variable,
    decides,
    expects: "what the identity provider gave for the platform",
    fallback: NONE,
    parse: (text) => (text === NONE ? null : Redacted.make(text))
  })

const credentialsOf = (prefix: string, provider: string) => ({
  clientId: credential(
    `${prefix}_CLIENT_ID`,
    `The client id of the platform's registration with ${provider}, for logins.`
  ),
  clientSecret: credential(
    `${prefix}_CLIENT_SECRET`,
    `The client secret of the platform's registration with ${provider}.`
  )
})

const issuerOf = (prefix: string, name: string, fallback: string | undefined) =>
  setting({
    variable: `${prefix}_ISSUER`,
    decides: `The OpenID Connect issuer that people log in at as ${name}, exactly as it calls itself.`,
    expects: "an https URL without query",
    fallback,
    parse: parseProviderUrl
  })

const google = {
  ...credentialsOf("OAUTH_GOOGLE", "Google"),
  issuer: issuerOf("OAUTH_GOOGLE", "google", "https://accounts.google.com")
}

const github = {
  ...credentialsOf("OAUTH_GITHUB", "GitHub"),
  url: setting({
    variable: "OAUTH_GITHUB_URL",
    decides: "The GitHub, or GitHub Enterprise Server, that people log in at as github.",
    expects: "an https URL without query",
    fallback: "https://github.com",
    parse: withoutSlash
  }),
  apiUrl: setting({
    variable: "OAUTH_GITHUB_API_URL",
    decides: "The API of the GitHub, or GitHub Enterprise Server, of OAUTH_GITHUB_URL.",
    expects: "an https URL without query",
    fallback: "https://api.github.com",
    parse: withoutSlash
  })
}

const otherIssuer = (prefix: string, name: string) => ({
  ...credentialsOf(prefix, `the provider ${name}`),
  issuer: issuerOf(prefix, name, undefined)
})

/** Every setting about logins, for the documentation. Those of further issuers have `<NAME>` in their names. */
export const OAUTH_SETTINGS = [
  providers,
  ...Object.values(google),
  ...Object.values(github),
  ...Object.values(otherIssuer("OAUTH_<NAME>", "`<name>` of OAUTH_PROVIDERS"))
]

interface Registration {
  readonly clientId: Setting<Redacted.Redacted | null>
  readonly clientSecret: Setting<Redacted.Redacted | null>
}

/** The client id and secret of a registration; undefined without both. Fails when only one is set, which is a mistake. */
const registration = Effect.fnUntraced(function* (of: Registration) {
  const [clientId, clientSecret] = [yield* read(of.clientId), yield* read(of.clientSecret)]
  if (clientId !== null && clientSecret !== null) return { clientId: Redacted.value(clientId), clientSecret }
  if (clientId === null && clientSecret === null) return undefined
  const [missing, given] = clientId === null ? [of.clientId, of.clientSecret] : [of.clientSecret, of.clientId]
  return yield* new SettingInvalid({
    variable: missing.variable,
    detail: `is missing: ${given.variable} is set, and a provider takes both`
  })
})

const readGitHub = Effect.gen(function* () {
  const registered = yield* registration(github)
  const [url, apiUrl] = [yield* read(github.url), yield* read(github.apiUrl)]
  return registered === undefined ? undefined : { ...registered, url, apiUrl }
})

const readGoogle = Effect.gen(function* () {
  const [registered, issuer] = [yield* registration(google), yield* read(google.issuer)]
  return registered === undefined ? undefined : { ...registered, issuer }
})

/** Reads the settings of an issuer. A listed issuer must be complete, since otherwise only users would notice that it is missing. */
const readIssuer = Effect.fnUntraced(function* (name: string) {
  const settings = otherIssuer(prefixOf(name), name)
  const issuer = yield* read(settings.issuer)
  const registered = yield* registration(settings)
  if (registered !== undefined) return { ...registered, issuer }
  return yield* new SettingInvalid({
    variable: settings.clientId.variable,
    detail: `is missing: OAUTH_PROVIDERS lists ${name}`
  })
})

/** The providers that are configured; fails with SettingInvalid, which names the variable. */
export const oauthConfig = Effect.gen(function* () {
  const names = yield* read(providers)
  const openId: Record<string, OpenIdOptions> = {}
  const [ofGoogle, ofGitHub] = [yield* readGoogle, yield* readGitHub]
  for (const name of names) {
    if (name === "github") continue
    const issuer = name === "google" ? ofGoogle : yield* readIssuer(name)
    if (issuer !== undefined) openId[name] = issuer
  }
  const options: OAuthOptions = { openId, github: names.includes("github") ? ofGitHub : undefined }
  return options
})
