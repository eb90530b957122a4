/** Access tokens: what their endpoints are asked and may answer, and how long they are kept. */
import { EgressGuard } from "@agent-platform/egress"
import { Egress, type OutgoingRequest } from "@agent-platform/kernel"
import { anOAuthClient, aToolSecret } from "@agent-platform/keys/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { makeAccessTokens } from "../../src/vault/accessTokens.ts"
import { fetchAccessToken, type TokenClient } from "../../src/vault/fetchAccessToken.ts"
import { type Answer, json, layerScriptedServer, ScriptedServer } from "../chat/ScriptedServer.ts"

const SECRET = "client-secret+of/ours&=%:0123456789"

const clientOf = (oauth: Partial<ReturnType<typeof anOAuthClient>> & object, secret = SECRET): TokenClient => {
  const made = { ...anOAuthClient(), ...oauth }
  return {
    purpose: "tools",
    secret: aToolSecret({ name: "Orders", oauth: made }),
    oauth: made,
    clientSecret: Redacted.make(secret)
  }
}

const layerWire = Layer.merge(layerScriptedServer, EgressGuard.layer({ allowLoopback: true }))

/** Asks the scripted server for a token. */
const fetched = Effect.fnUntraced(function* (answer: Answer, oauth: object = {}) {
  const [egress, server] = [yield* Egress, yield* ScriptedServer]
  server.script(answer)
  const client = clientOf({ tokenUrl: `${server.url}/token`, ...oauth })
  const token = yield* Effect.result(fetchAccessToken(egress, client))
  return { token, asked: server.asked.at(-1) }
})

describe("a token endpoint", () => {
  it.live("is asked by the grant client_credentials, with the secret in a header or in the body", () =>
    Effect.gen(function* () {
      const answer = json(200, { access_token: "token-0123456789", token_type: "bearer", expires_in: 100 })
      const basic = yield* fetched(answer, { scope: "read write", clientId: "a:b" })
      assert.deepInclude(basic.asked, {
        method: "POST",
        url: "/token",
        text: "grant_type=client_credentials&scope=read+write"
      })
      const credentials = basic.asked?.headers.authorization?.replace("Basic ", "") ?? ""
      assert.deepStrictEqual(
        Buffer.from(credentials, "base64").toString(),
        "a%3Ab:client-secret%2Bof%2Fours%26%3D%25%3A0123456789"
      )
      const post = yield* fetched(answer, { authMethod: "client_secret_post" })
      assert.isUndefined(post.asked?.headers.authorization)
      assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(post.asked?.text)), {
        grant_type: "client_credentials",
        client_id: "agents",
        client_secret: SECRET
      })
      const { token } = post
      assert.isTrue(token._tag === "Success" && Redacted.value(token.success.value) === "token-0123456789")
      assert.strictEqual(token._tag === "Success" ? token.success.keptMillis : 0, 90_000)
    }).pipe(Effect.provide(layerWire))
  )

  it.live("may say anything of how long a token lives", () =>
    Effect.gen(function* () {
      for (const [expires_in, seconds] of [
        [undefined, 300],
        [null, 300],
        [3_600, 3_540],
        ["3600", 3_540],
        [10, 9],
        [0, 0],
        [-1, 0],
        [Number.MAX_VALUE, 86_340],
        ["1e9", 0],
        ["forever", 0],
        [{ seconds: 5 }, 0],
        [true, 0]
      ] as const) {
        const { token } = yield* fetched(json(200, { access_token: "token-0123456789", expires_in }))
        assert.strictEqual(
          token._tag === "Success" ? token.success.keptMillis : -1,
          seconds * 1_000,
          String(expires_in)
        )
      }
    }).pipe(Effect.provide(layerWire))
  )

  it.live("cannot answer with what could not be sent, or takes more than it should to read", () =>
    Effect.gen(function* () {
      const token = "token-0123456789"
      const deep = "[".repeat(20_000) + "]".repeat(20_000)
      const cases: ReadonlyArray<readonly [Answer, RegExp]> = [
        [json(200, { access_token: "token\r\nx-injected: 1" }), /none that can be sent/],
        [json(200, { access_token: "token with spaces" }), /none that can be sent/],
        [json(200, { access_token: "short" }), /none that can be sent/],
        [json(200, { access_token: "x".repeat(8_193) }), /none that can be sent/],
        [json(200, { access_token: [token] }), /none that can be sent/],
        [json(200, { access_token: token, token_type: "mac" }), /another type than Bearer/],
        [json(200, { access_token: token, token_type: { Bearer: 1 } }), /another type than Bearer/],
        [json(200, [token]), /none that can be sent/],
        [(response) => void response.end("no json"), /none that can be sent/],
        [(response) => void response.end(`{"access_token":"${token}","more":${deep}}`), /none that can be sent/],
        [(response) => void response.end("x".repeat(10 * 1024 * 1024)), /more than 65536 bytes/],
        [(response) => void response.destroy(), /There is no access token for the secret 'Orders': /],
        [json(400, { error: "invalid_client", error_description: SECRET }), /answered 400 invalid_client$/],
        [json(401, { error: SECRET }), /answered 401$/],
        [json(302, {}, { location: "https://elsewhere.example.com/" }), /answered 302$/]
      ]
      for (const [answer, expected] of cases) {
        const { token: found } = yield* fetched(answer)
        const detail = found._tag === "Failure" ? found.failure.detail : "none"
        assert.match(detail, expected)
        assert.notInclude(detail, SECRET)
      }
    }).pipe(Effect.provide(layerWire))
  )
})

describe("the access tokens of a process", () => {
  /** Tokens over an egress that takes a second, fails as often as it is told, and then answers with another one each time. */
  const given = Effect.fnUntraced(function* (expires_in: unknown, fails = 0) {
    const sent: Array<OutgoingRequest> = []
    const egress = Egress.of({
      admit: () => Effect.void,
      begin: () => () => undefined,
      stream: () => Effect.die(new Error("Nothing is streamed")),
      send: (request) =>
        Effect.suspend(() => {
          sent.push(request)
          const body = { access_token: `token-number-${sent.length}`, expires_in }
          return Effect.succeed({
            status: sent.length > fails ? 200 : 503,
            headers: {},
            body: new TextEncoder().encode(JSON.stringify(body)),
            remoteAddress: null,
            durationMillis: 1
          })
        }).pipe(Effect.delay("1 second"))
    })
    const tokens = yield* Effect.provideService(makeAccessTokens, Egress, egress)
    /** Each of these clients' tokens, all asked for at once, or why there is none. */
    const get = Effect.fnUntraced(function* (...clients: ReadonlyArray<TokenClient>) {
      const asking = yield* Effect.forkChild(
        Effect.forEach(clients, (client) => Effect.result(tokens.get(client)), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 second")
      const results = yield* Fiber.join(asking)
      return results.map((one) =>
        one._tag === "Success" ? Redacted.value(one.success.value) : one.failure.detail.replace(/^.*: /, "")
      )
    })
    return { sent, tokens, get }
  })

  it.effect("are fetched once for all who wait, and anew shortly before they expire", () =>
    Effect.gen(function* () {
      const { get, sent } = yield* given(100)
      const client = clientOf({})
      // As another request reads it from the store.
      const again: TokenClient = { ...client, secret: { ...client.secret }, clientSecret: Redacted.make(SECRET) }
      assert.deepStrictEqual(yield* get(client, again, client), ["token-number-1", "token-number-1", "token-number-1"])
      yield* TestClock.adjust("89 seconds")
      assert.deepStrictEqual(yield* get(again), ["token-number-1"])
      assert.deepStrictEqual(yield* get(client), ["token-number-2"])
      assert.strictEqual(sent.length, 2)
    })
  )

  it.effect("are of one client with one secret for one purpose", () =>
    Effect.gen(function* () {
      const { get } = yield* given(100)
      const client = clientOf({})
      const others: ReadonlyArray<TokenClient> = [
        { ...client, purpose: "mcp" },
        { ...client, clientSecret: Redacted.make("another-secret") },
        { ...client, oauth: { ...client.oauth, scope: "all" } },
        { ...client, secret: aToolSecret({ oauth: client.oauth }) }
      ]
      const found = yield* get(client, ...others)
      assert.strictEqual(new Set(found).size, 5)
      assert.deepStrictEqual(yield* get(client, ...others), found)
    })
  )

  it.effect("are not kept where they do not live, and neither is a failure", () =>
    Effect.gen(function* () {
      const { get, sent } = yield* given(0, 1)
      const client = clientOf({})
      assert.deepStrictEqual(yield* get(client, client), [
        "the token endpoint answered 503",
        "the token endpoint answered 503"
      ])
      assert.deepStrictEqual(yield* get(client), ["token-number-2"])
      assert.deepStrictEqual(yield* get(client), ["token-number-3"])
      assert.strictEqual(sent.length, 3)
    })
  )

  it.effect("are forgotten one by one, and never one that was fetched meanwhile", () =>
    Effect.gen(function* () {
      const { get, tokens } = yield* given(100)
      const client = clientOf({})
      const forget = (value: string) => tokens.forget(client, { value: Redacted.make(value), keptMillis: 1 })
      yield* get(client)
      yield* forget("token-number-1")
      assert.deepStrictEqual(yield* get(client), ["token-number-2"])
      yield* forget("token-number-1")
      assert.deepStrictEqual(yield* get(client), ["token-number-2"])
    })
  )

  it.effect("come to those who wait when the run that asked first is cancelled", () =>
    Effect.gen(function* () {
      const { sent, tokens } = yield* given(100)
      const client = clientOf({})
      const first = yield* Effect.forkChild(tokens.get(client), { startImmediately: true })
      const second = yield* Effect.forkChild(tokens.get(client), { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(Redacted.value((yield* Fiber.join(second)).value), "token-number-1")
      assert.strictEqual(sent.length, 1)
    })
  )
})
