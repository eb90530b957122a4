/** A real identity provider on loopback, in the role of Google or of GitHub. Everybody is let in at once. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Provider } from "oidc-provider"
import { mapAdapter } from "./MapAdapter.ts"

/** A person as the provider knows them. */
export interface Person {
  /** A number, as GitHub's are. */
  readonly id: string
  readonly email: string | undefined
  readonly verified: boolean
  readonly name: string | undefined
}

/** The misbehaviour that a test asks of the provider. */
export interface Behaviour {
  /** Who logs in next. */
  person: Person
  /** Breaks the login off, as when the person declines. */
  declines: boolean
  /** Puts another nonce into the ID token than it was asked for. */
  nonce: string | undefined
  /** Publishes keys that it does not sign with. */
  foreignKeys: boolean
  /** Answers nothing to requests for these paths. */
  silent: ReadonlyArray<string>
  /** Answers 503 to as many requests as this. */
  failures: number
  /** Puts claims into the ID token, as Google does, and not only where the access token is shown. */
  readonly claimsInIdToken: boolean
}

export interface TestProvider {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  readonly behaviour: Behaviour
  /** How often each path was asked for. */
  readonly asked: ReadonlyMap<string, number>
  readonly close: () => Promise<void>
}

const CLIENT = { client_id: "agent-platform", client_secret: "a secret that both sides know, for tests" }

const makeKey = async () => {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256"
  }
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const key = await crypto.subtle.exportKey("jwk", privateKey)
  return {
    kty: "RSA",
    n: key.n,
    e: key.e,
    d: key.d,
    p: key.p,
    q: key.q,
    dp: key.dp,
    dq: key.dq,
    qi: key.qi,
    use: "sig"
  }
}

/** The key of every provider, and a foreign one. Making them takes longest of all. */
const keys = Promise.all([makeKey(), makeKey()])

const SHARED = {
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_: unknown, interaction: { readonly uid: string }) => `/interaction/${interaction.uid}` },
  cookies: { keys: ["for tests"] },
  ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 }
}

const GITHUB = {
  scopes: ["read:user", "user:email"],
  routes: { authorization: "/login/oauth/authorize", token: "/login/oauth/access_token" }
}

const google = (claimsInIdToken: boolean) => ({
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  conformIdTokenClaims: !claimsInIdToken
})

const claimsOf = ({ email, id, name, verified }: Person) => ({
  sub: id,
  ...(email === undefined ? {} : { email, email_verified: verified }),
  ...(name === undefined ? {} : { name })
})

const sendJson = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

/** Starts a provider that sends people back to `redirectUris` alone. */
export const startProvider = async (
  role: "google" | "github",
  redirectUris: ReadonlyArray<string>,
  { claimsInIdToken = true }: { readonly claimsInIdToken?: boolean } = {}
): Promise<TestProvider> => {
  const behaviour: Behaviour = {
    person: { id: "4711", email: "ada@example.com", verified: true, name: "Ada" },
    declines: false,
    nonce: undefined,
    foreignKeys: false,
    silent: [],
    failures: 0,
    claimsInIdToken
  }
  const people = new Map<string, Person>()
  const asked = new Map<string, number>()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  const [key, foreign] = await keys

  const provider = new Provider(url, {
    ...SHARED,
    ...(role === "github" ? GITHUB : google(claimsInIdToken)),
    adapter: mapAdapter(),
    jwks: { keys: [key] },
    clients: [
      {
        ...CLIENT,
        redirect_uris: redirectUris,
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "client_secret_post"
      }
    ],
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => claimsOf(people.get(id) ?? behaviour.person)
    })
  })
  provider.use(async (context, next) => {
    await next()
    // GitHub answers 200 where it refuses a code or its client.
    if (role === "github" && context.path === GITHUB.routes.token && context.status < 500) context.status = 200
    if (behaviour.foreignKeys && context.path === "/jwks") {
      context.body = { keys: [{ kty: "RSA", n: foreign.n, e: foreign.e, use: "sig" }] }
    }
  })
  const serve = provider.callback()

  const interact = async (request: IncomingMessage, response: ServerResponse) => {
    const { params, prompt, session } = await provider.interactionDetails(request, response)
    const finish = (result: Readonly<Record<string, unknown>>) =>
      provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
    if (behaviour.declines) return finish({ error: "access_denied", error_description: "The person declined" })
    if (prompt.name === "login") {
      people.set(behaviour.person.id, behaviour.person)
      return finish({ login: { accountId: behaviour.person.id } })
    }
    const grant = new provider.Grant({ accountId: session?.accountId ?? "", clientId: params.client_id })
    grant.addOIDCScope(params.scope)
    return finish({ consent: { grantId: await grant.save() } })
  }

  const showPerson = async (request: IncomingMessage, response: ServerResponse, path: string) => {
    const token = await provider.AccessToken.find((request.headers.authorization ?? "").replace(/^bearer /i, ""))
    const person = people.get(token?.accountId ?? "")
    if (person === undefined) return sendJson(response, 401, { message: "Bad credentials" })
    const { email, id, name, verified } = person
    if (path === "/user") return sendJson(response, 200, { id: Number(id), login: `user-${id}`, name: name ?? null })
    return sendJson(response, 200, [
      { email: "other@example.com", primary: false, verified: true, visibility: null },
      ...(email === undefined ? [] : [{ email, primary: true, verified, visibility: "private" }])
    ])
  }

  server.on("request", (request, response) => {
    const { pathname } = new URL(request.url ?? "/", url)
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1)
    if (behaviour.silent.includes(pathname)) return
    if (behaviour.failures > 0) {
      behaviour.failures--
      return sendJson(response, 503, {})
    }
    if (behaviour.nonce !== undefined) request.url = request.url?.replace(/nonce=[^&]+/, `nonce=${behaviour.nonce}`)
    const answer = pathname.startsWith("/interaction/")
      ? interact(request, response)
      : role === "github" && (pathname === "/user" || pathname === "/user/emails")
        ? showPerson(request, response, pathname)
        : serve(request, response)
    answer.catch((error: unknown) => sendJson(response, 500, { message: String(error) }))
  })

  return {
    url,
    clientId: CLIENT.client_id,
    clientSecret: CLIENT.client_secret,
    behaviour,
    asked,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
