/** Logins against real identity providers on loopback, one in each role, with a browser for everybody. */
import { OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { type Member, MemberStore } from "@agent-platform/keys"
import { aMember } from "@agent-platform/keys/testing"
import { OAuthIdentityProvider } from "@agent-platform/oauth"
import { Context, Effect, Layer, Redacted } from "effect"
import { Browser } from "../../../packages/oauth/test/support/Browser.ts"
import { startProvider, type TestProvider } from "../../../packages/oauth/test/support/TestProvider.ts"
import { BASE_URL, DASHBOARD_URL, layerMemory, layerOver, type Tenant, TestApi } from "./support.ts"

export type ProviderName = "google" | "github"

const callbackOf = (provider: ProviderName) => `${BASE_URL}/api/v1/auth/oauth/${provider}/callback`

/** The providers of one suite: they are closed with its layer. */
export class Providers extends Context.Service<Providers, Readonly<Record<ProviderName, TestProvider>>>()(
  "test/Providers"
) {}

const started = (name: ProviderName) =>
  Effect.acquireRelease(
    Effect.promise(() => startProvider(name, [callbackOf(name)])),
    (provider) => Effect.promise(() => provider.close())
  )

const layerProviders = Layer.effect(Providers, Effect.all({ google: started("google"), github: started("github") }))

const credentialsOf = ({ clientId, clientSecret }: TestProvider) => ({
  clientId,
  clientSecret: Redacted.make(clientSecret)
})

/** The API over memory with both providers. */
export const layer = Layer.unwrap(
  Effect.map(Providers, ({ github, google }) =>
    layerOver(layerMemory, {
      identity: OAuthIdentityProvider.layer({
        openId: { google: { issuer: google.url, ...credentialsOf(google) } },
        github: { url: github.url, apiUrl: github.url, ...credentialsOf(github) }
      })
    })
  )
).pipe(Layer.provideMerge(layerProviders))

/** An answer to a browser. */
export interface Shown {
  readonly status: number
  readonly code: string | undefined
  readonly location: string | undefined
  readonly cookies: ReadonlyArray<string>
}

const shown = async (response: Response): Promise<Shown> => {
  const text = await response.text()
  return {
    status: response.status,
    code: text === "" ? undefined : (JSON.parse(text) as { readonly code?: string }).code,
    location: response.headers.get("location") ?? undefined,
    cookies: response.headers.getSetCookie()
  }
}

/** A new browser, for which the service is where it says that it is. */
export const aBrowser = TestApi.use((api) => Effect.sync(() => new Browser({ [BASE_URL]: api.url })))

/** Asks the service with a browser. */
export const visit = (browser: Browser, address: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => shown(await browser.ask(address, headers)))

/** Begins a login; answers what the service says, and the provider's address. */
export const begin = (browser: Browser, provider: ProviderName, query = "") =>
  visit(browser, `${BASE_URL}/api/v1/auth/oauth/${provider}/login${query}`)

/** Lets the person log in at the provider and answers the callback's address, which was not visited yet. */
export const comeBack = Effect.fnUntraced(function* (browser: Browser, provider: ProviderName, query = "") {
  const { location = "" } = yield* begin(browser, provider, query)
  return yield* Effect.promise(() => browser.follow(location, callbackOf(provider)))
})

/** A whole login. */
export const logIn = Effect.fnUntraced(function* (browser: Browser, provider: ProviderName, query = "") {
  return yield* visit(browser, yield* comeBack(browser, provider, query), { "user-agent": "Test/1.0" })
})

/** Says who the browser is to the service: the answer of `auth/me`. */
export const whoIs = (browser: Browser, headers: Readonly<Record<string, string>> = {}) =>
  TestApi.use((api) => {
    const cookie = [...browser.jar(BASE_URL)].map(([name, value]) => `${name}=${value}`).join("; ")
    return api.call("GET", "/api/v1/auth/me", { headers: { cookie, ...headers } })
  })

/** Invites somebody to the tenant's organization. */
export const invite = Effect.fnUntraced(function* (tenant: Tenant, email: string, part: Partial<Member> = {}) {
  const [members, unit] = [yield* MemberStore, yield* UnitOfWork]
  const member = aMember({ organizationId: OrganizationId.make(tenant.organizationId), email, ...part })
  yield* unit.atomic(members.put(member))
  return member
})

let people = 4_711

/** Makes somebody new the one who logs in next. */
export const nextPerson = (provider: ProviderName, override: Partial<TestProvider["behaviour"]["person"]> = {}) =>
  Effect.map(Providers, (providers) => {
    const id = String(people++)
    const person = { id, email: `person-${id}@example.com`, verified: true, name: `Person ${id}`, ...override }
    providers[provider].behaviour.person = person
    return { ...person, email: person.email ?? "" }
  })

/** Everything that is kept, as text. */
export const everythingKept = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const tables = ["login_attempt", "login_session", "app_user", "member"].map((name) => database.table<unknown>(name))
  const rows = yield* Effect.forEach(tables, (table) => table.all)
  return JSON.stringify([rows, yield* feedTables(database).activity.all])
})

/** The activity of an organization. */
export const activityOf = ({ organizationId }: Tenant) =>
  MemoryDatabase.use((database) =>
    Effect.map(feedTables(database).activity.all, (entries) =>
      entries.filter((entry) => entry.organizationId === organizationId)
    )
  )

export { DASHBOARD_URL }
