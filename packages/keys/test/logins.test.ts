/** Logins and sessions by the clock. Spec: OAuth. */
import type { Actor } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import {
  LOGINS_UNDER_WAY_MAX,
  LoginSessionNotFound,
  LoginStateInvalid,
  LoginStore,
  Logins,
  NotInvited,
  pruneLogins,
  UserId
} from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { GATHER_SECONDS } from "../src/makeGathering.ts"
import { completeLogin } from "../src/use-cases/login/completeLogin.ts"
import { begun, invited, loggedIn, memory, Provider } from "./loginSupport.ts"

const recognise = (secret: Redacted.Redacted) =>
  Logins.use((logins) => logins.recogniseSession({ secret, workspaceId: undefined }))

/** Recognises a session as a request does, and waits until its use is noted, if it is. */
const use = (secret: Redacted.Redacted) =>
  Effect.gen(function* () {
    const logins = yield* Logins
    const { session } = yield* recognise(secret)
    yield* logins.noteUse(session)
    yield* TestClock.adjust(`${GATHER_SECONDS} seconds`)
    return session
  })

const reasonOf = (secret: Redacted.Redacted) =>
  Effect.map(Effect.flip(recognise(secret)), (error) => ("reason" in error ? error.reason : error._tag))

describe("a login", () => {
  it.effect("can be completed for ten minutes", () =>
    Effect.gen(function* () {
      const logins = yield* Logins
      yield* invited()
      const inTime = yield* begun()
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual((yield* logins.completeLogin(inTime)).outcome, "admitted")
      const late = yield* begun()
      yield* TestClock.adjust("600 seconds")
      assert.instanceOf(yield* Effect.flip(logins.completeLogin(late)), LoginStateInvalid)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is one of a hundred under way from a network, and no more until one of them is over", () =>
    Effect.gen(function* () {
      yield* invited()
      for (let count = 0; count < LOGINS_UNDER_WAY_MAX; count++) {
        yield* begun()
        if (count === 0) yield* TestClock.adjust("10 seconds")
      }
      const refused = yield* Effect.flip(begun())
      assert.deepInclude(refused, { _tag: "TooManyLogins", limit: LOGINS_UNDER_WAY_MAX, retryAfterSeconds: 590 })
      yield* TestClock.adjust("590 seconds")
      yield* begun()
    }).pipe(Effect.provide(memory))
  )

  it.effect("meets a member who is being removed as one who was not invited", () =>
    Effect.gen(function* () {
      const logins = yield* Logins
      yield* invited()
      const store = yield* LoginStore
      const removed = LoginStore.of({ ...store, insert: () => Effect.succeed(false) })
      const login = yield* Effect.provideService(Effect.flip(completeLogin(yield* begun())), LoginStore, removed)
      assert.instanceOf(login, NotInvited)
      assert.isNotEmpty(logins.providers)
    }).pipe(Effect.provide(memory))
  )

  it.effect("asks nothing of the provider unless it was begun in this browser", () =>
    Effect.gen(function* () {
      const [logins, provider] = [yield* Logins, yield* Provider]
      yield* invited()
      const login = yield* begun()
      const other = yield* begun()
      const attempts = [
        { ...login, secret: undefined },
        { ...login, secret: other.secret },
        { ...login, secret: Redacted.make("nonsense") },
        { ...login, callbackUrl: other.callbackUrl },
        { ...login, provider: "github" }
      ]
      for (const attempt of attempts) {
        assert.instanceOf(yield* Effect.flip(logins.completeLogin(attempt)), LoginStateInvalid)
      }
      assert.strictEqual(provider.identified, 0)
    }).pipe(Effect.provide(memory))
  )

  it.effect("that is refused opens no session and takes no invitation up", () =>
    Effect.gen(function* () {
      const [logins, provider] = [yield* Logins, yield* Provider]
      yield* invited()
      provider.identity = { ...provider.identity, emailVerified: false }
      assert.instanceOf(yield* Effect.flip(logins.completeLogin(yield* begun())), NotInvited)
      // The invitation is for the person that the provider vouches for.
      provider.identity = { ...provider.identity, subject: "another", emailVerified: true }
      assert.strictEqual((yield* recognise(yield* loggedIn)).user.subject, "another")
    }).pipe(Effect.provide(memory))
  )

  it.effect("is remembered with the browser, cut to 256 characters, and the address", () =>
    Effect.gen(function* () {
      const logins = yield* Logins
      yield* invited()
      const completed = yield* logins.completeLogin({ ...(yield* begun()), userAgent: "x".repeat(300) })
      if (completed.outcome !== "admitted") return assert.fail()
      const { session } = yield* recognise(completed.secret)
      assert.strictEqual(session.userAgent, "x".repeat(256))
      assert.strictEqual(session.clientAddress, "192.0.2.7")
    }).pipe(Effect.provide(memory))
  )
})

describe("a session", () => {
  it.effect("ends after seven days without use", () =>
    Effect.gen(function* () {
      yield* invited()
      const secret = yield* loggedIn
      yield* TestClock.adjust("6 days")
      yield* use(secret)
      yield* TestClock.adjust("6 days")
      yield* use(secret)
      yield* TestClock.adjust("7 days")
      assert.strictEqual(yield* reasonOf(secret), "expired")
    }).pipe(Effect.provide(memory))
  )

  it.effect("ends after thirty days however it is used", () =>
    Effect.gen(function* () {
      yield* invited()
      const secret = yield* loggedIn
      for (let day = 1; day < 30; day++) {
        yield* TestClock.adjust("1 day")
        yield* use(secret)
      }
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* reasonOf(secret), "expired")
    }).pipe(Effect.provide(memory))
  )

  it.effect("has its use noted once a minute at most", () =>
    Effect.gen(function* () {
      yield* invited()
      const secret = yield* loggedIn
      const begunAt = (yield* use(secret)).lastSeenAt
      yield* TestClock.adjust(`${59 - GATHER_SECONDS} seconds`)
      yield* use(secret)
      assert.deepStrictEqual((yield* recognise(secret)).session.lastSeenAt, begunAt)
      yield* use(secret)
      const after = DateTime.add(begunAt, { seconds: 59 + GATHER_SECONDS })
      assert.deepStrictEqual((yield* recognise(secret)).session.lastSeenAt, after)
    }).pipe(Effect.provide(memory))
  )

  it.effect("that was ended stays ended, and was ended once", () =>
    Effect.gen(function* () {
      const logins = yield* Logins
      yield* invited()
      const secret = yield* loggedIn
      const { session, user } = yield* recognise(secret)
      const actor: Actor = { type: "user", id: user.id, label: user.name }
      const end = logins.revokeSession({ userId: user.id, actor, id: session.id })
      const first = yield* end
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* end, first)
      assert.strictEqual(yield* reasonOf(secret), "revoked")
      const stranger = { userId: anId(UserId), actor, id: session.id }
      assert.instanceOf(yield* Effect.flip(logins.revokeSession(stranger)), LoginSessionNotFound)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is forgotten with the logins that nobody completed, once it has reached its greatest age", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      yield* invited()
      const secret = yield* loggedIn
      yield* begun()
      assert.deepStrictEqual(yield* pruneLogins(), { attempts: 0, sessions: 0 })
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* pruneLogins(), { attempts: 1, sessions: 0 })
      yield* TestClock.adjust("30 days")
      assert.deepStrictEqual(yield* pruneLogins(), { attempts: 0, sessions: 1 })
      assert.strictEqual(yield* reasonOf(secret), "CredentialUnknown")
      assert.isUndefined(yield* store.findByHash("", undefined))
    }).pipe(Effect.provide(memory))
  )
})
