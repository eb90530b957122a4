/** Logins over memory, with an identity provider that knows one person at a time. */
import { atomic, type OrganizationId } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import {
  type AuthorizeRequest,
  type Identity,
  IdentityProvider,
  LoginRefused,
  Logins,
  type Member,
  MemberStore,
  ProviderUnknown,
  TenancyStore
} from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { aMember, anEmail, anOrganization, aWorkspace } from "@agent-platform/keys/testing"
import { Context, Effect, Layer } from "effect"
import { Digest } from "effect/crypto"
import { Base64Url } from "effect/encoding"

/** Stands in for the people at the provider. */
export class Provider extends Context.Service<
  Provider,
  {
    identity: Identity
    /** How often somebody was identified. */
    identified: number
    /** The logins that the provider knows, by their state. */
    readonly requests: Map<string, AuthorizeRequest>
  }
>()("Provider") {}

const challengeOf = (verifier: string) =>
  Digest.Digest.use((digest) => digest.digest(Digest.sha256, new TextEncoder().encode(verifier))).pipe(
    Effect.map(Base64Url.encode),
    Effect.orDie
  )

/** The provider, with a new person, and the platform's questions to it. */
export const layerProvider = Layer.effectContext(
  Effect.gen(function* () {
    const digest = yield* Digest.Digest
    const provider: Provider["Service"] = {
      identity: {
        issuer: "https://accounts.example.com",
        subject: anEmail(),
        email: anEmail(),
        emailVerified: true,
        name: "Ada"
      },
      identified: 0,
      requests: new Map()
    }
    const { requests } = provider
    const identities = IdentityProvider.of({
      providers: ["google", "github"],
      authorizeUrl: (name, request) =>
        Effect.gen(function* () {
          if (name !== "google" && name !== "github") return yield* new ProviderUnknown()
          requests.set(request.state, request)
          return `https://accounts.example.com/authorize?state=${request.state}`
        }),
      identify: (_, request) =>
        Effect.gen(function* () {
          provider.identified++
          const asked = requests.get(request.state)
          const challenge = yield* Effect.provideService(challengeOf(request.codeVerifier), Digest.Digest, digest)
          if (asked?.nonce !== request.nonce || asked.codeChallenge !== challenge) {
            return yield* new LoginRefused({ detail: "This is another login" })
          }
          return provider.identity
        })
    })
    return Context.make(Provider, provider).pipe(Context.add(IdentityProvider, identities))
  })
)

/** Everything about logins over memory. */
export const memory = Logins.layer.pipe(
  Layer.provideMerge(layerProvider),
  Layer.provideMerge(stores),
  Layer.provideMerge(kernel),
  Layer.fresh
)

/** An organization with two workspaces, to which the provider's person is invited. */
export const invited = (part: Partial<Member> = {}) =>
  Effect.gen(function* () {
    const [tenancy, members, { identity }] = [yield* TenancyStore, yield* MemberStore, yield* Provider]
    const organization = anOrganization()
    const workspaces = [
      aWorkspace({ organizationId: organization.id }),
      aWorkspace({ organizationId: organization.id })
    ] as const
    const member = aMember({ organizationId: organization.id, email: identity.email ?? anEmail(), ...part })
    yield* atomic(
      Effect.gen(function* () {
        yield* tenancy.insertOrganization(organization)
        yield* Effect.forEach(workspaces, tenancy.insertWorkspace, { discard: true })
        yield* members.put(member)
      })
    )
    return { organization, workspaces, member }
  })

const REDIRECT_URI = "https://agents.test/callback"

/** Begins a login, perhaps to an organization, and answers the command that completes it. */
export const begun = Effect.fnUntraced(function* (organizationId?: OrganizationId) {
  const logins = yield* Logins
  const { authorizeUrl, secret } = yield* logins.beginLogin({
    provider: "google",
    redirectUri: REDIRECT_URI,
    returnTo: "https://dashboard.test/",
    organizationId,
    clientAddress: "192.0.2.7"
  })
  return {
    provider: "google",
    secret,
    redirectUri: REDIRECT_URI,
    callbackUrl: `${REDIRECT_URI}?code=x&state=${new URL(authorizeUrl).searchParams.get("state")}`,
    userAgent: "Mozilla/5.0",
    clientAddress: "192.0.2.7"
  }
})

/** Logs the provider's person in and answers the session's secret. */
export const loggedIn = Effect.gen(function* () {
  const logins = yield* Logins
  const completed = yield* logins.completeLogin(yield* begun())
  if (completed.outcome !== "admitted") return yield* Effect.die(new Error("Nobody was admitted"))
  return completed.secret
})
