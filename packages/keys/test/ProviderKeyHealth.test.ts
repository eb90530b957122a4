/** The states of a key. Pure, in tables: every state against everything that can happen. */
import {
  afterProbe,
  LIMITED_SECONDS_MAX,
  type ProbeOutcome,
  type ProviderKey,
  ProviderKeyHealth,
  type ProviderKeyStatus,
  providerKeyStatusAt
} from "@agent-platform/keys"
import { aProviderKey } from "@agent-platform/keys/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")
const later = (seconds: number) => DateTime.add(NOW, { seconds })
const ANSWER = { providerStatus: 401, providerCode: "invalid_api_key" }

const isLimit = (status: ProviderKeyStatus) => status === "rate_limited" || status === "quota_exhausted"

/** A key in this state, as it came there earlier. */
const aKeyThatIs = (status: ProviderKeyStatus, override: Partial<ProviderKey> = {}): ProviderKey =>
  aProviderKey({
    status,
    limitedUntil: isLimit(status) ? later(30) : null,
    revokedAt: status === "revoked" ? later(-60) : null,
    lastError: status === "active" || status === "revoked" ? null : { code: "rejected", ...ANSWER, at: later(-60) },
    ...override
  })

const EVENTS: Readonly<Record<string, (key: ProviderKey) => ProviderKey>> = {
  accepted: (key) => afterProbe(key, { type: "accepted" }, NOW),
  rejected: (key) => afterProbe(key, { type: "rejected", ...ANSWER }, NOW),
  "rate limited": (key) =>
    afterProbe(key, { type: "rate_limited", providerStatus: 429, providerCode: null, retryAfterSeconds: 20 }, NOW),
  "quota exhausted": (key) =>
    afterProbe(key, { type: "quota_exhausted", providerStatus: 429, providerCode: null }, NOW),
  unreachable: (key) => afterProbe(key, { type: "unreachable", providerStatus: null, providerCode: null }, NOW),
  unsupported: (key) => afterProbe(key, { type: "unsupported", providerStatus: 404, providerCode: null }, NOW),
  "refused to a run, and again": (key) => ProviderKeyHealth.invalidated(key, ANSWER, NOW),
  "refused to a run only": (key) => ProviderKeyHealth.doubted(key, ANSWER, NOW),
  "limited for a run": (key) => ProviderKeyHealth.limited(key, "rate_limited", ANSWER, NOW),
  "of use to a run": ProviderKeyHealth.worked,
  revoked: (key) => ProviderKeyHealth.revoked(key, NOW)
}

type Row = Readonly<Record<ProviderKeyStatus, ProviderKeyStatus>>

const same: Row = {
  active: "active",
  unverified: "unverified",
  rate_limited: "rate_limited",
  quota_exhausted: "quota_exhausted",
  invalid: "invalid",
  revoked: "revoked"
}
const every = (status: ProviderKeyStatus): Row => ({
  ...(Object.fromEntries(Object.keys(same).map((name) => [name, status])) as Row),
  revoked: "revoked"
})

const TABLE: Readonly<Record<string, Row>> = {
  accepted: every("active"),
  rejected: every("invalid"),
  // To be too fast nobody has to be known, so it revives nobody.
  "rate limited": { ...every("rate_limited"), invalid: "invalid" },
  "quota exhausted": every("quota_exhausted"),
  unreachable: same,
  unsupported: same,
  "refused to a run, and again": every("invalid"),
  "refused to a run only": same,
  "limited for a run": { ...every("rate_limited"), invalid: "invalid" },
  // A late report of a run that began before the key was found out.
  "of use to a run": { ...every("active"), invalid: "invalid" },
  revoked: every("revoked")
}

describe("a provider key", () => {
  for (const [event, row] of Object.entries(TABLE)) {
    for (const [from, to] of Object.entries(row) as Array<[ProviderKeyStatus, ProviderKeyStatus]>) {
      it(`that is ${from} and then ${event} is ${to}`, () => {
        const before = aKeyThatIs(from)
        const after = EVENTS[event]!(before)
        assert.strictEqual(after.status, to)
        assert.strictEqual(after.limitedUntil !== null, isLimit(to))
        assert.strictEqual(after.revokedAt !== null, to === "revoked")
        if (from === "revoked") assert.strictEqual(after, before)
        assert.strictEqual(after.version, before.version + (to === "revoked" && from !== "revoked" ? 1 : 0))
      })
    }
  }

  it("keeps what went wrong last, and forgets it once it works", () => {
    const outcome: ProbeOutcome = { type: "unreachable", providerStatus: 503, providerCode: "overloaded" }
    const failed = afterProbe(aKeyThatIs("active"), outcome, NOW)
    assert.deepStrictEqual(failed.lastError, {
      code: "unreachable",
      providerStatus: 503,
      providerCode: "overloaded",
      at: NOW
    })
    assert.isNull(afterProbe(failed, { type: "accepted" }, NOW).lastError)
    assert.isNull(ProviderKeyHealth.worked(failed).lastError)
    assert.deepStrictEqual(ProviderKeyHealth.doubted(aKeyThatIs("active"), ANSWER, NOW).lastError, {
      code: "rejected",
      ...ANSWER,
      at: NOW
    })
  })

  it("is validated by being accepted and by nothing else", () => {
    assert.deepStrictEqual(afterProbe(aKeyThatIs("unverified"), { type: "accepted" }, NOW).lastValidatedAt, NOW)
    for (const event of Object.keys(EVENTS).filter((name) => name !== "accepted")) {
      assert.isNull(EVENTS[event]!(aKeyThatIs("active")).lastValidatedAt)
    }
  })
})

describe("a limit", () => {
  it("lasts as long as the provider says, else a minute, or an hour where nothing is left", () => {
    const end = (limit: "rate_limited" | "quota_exhausted", until?: DateTime.Utc) =>
      ProviderKeyHealth.limited(aKeyThatIs("active"), limit, ANSWER, NOW, until).limitedUntil
    assert.deepStrictEqual(end("rate_limited"), later(60))
    assert.deepStrictEqual(end("quota_exhausted"), later(3_600))
    assert.deepStrictEqual(end("rate_limited", later(7)), later(7))
  })

  it("never lasts longer than a day, and never ended before it began", () => {
    const end = (until: DateTime.Utc) =>
      ProviderKeyHealth.limited(aKeyThatIs("active"), "quota_exhausted", ANSWER, NOW, until).limitedUntil
    assert.deepStrictEqual(end(later(10 * LIMITED_SECONDS_MAX)), later(LIMITED_SECONDS_MAX))
    assert.deepStrictEqual(end(later(-5)), later(1))
  })

  it("is not shortened by one of its kind that ends sooner", () => {
    const long = ProviderKeyHealth.limited(aKeyThatIs("active"), "rate_limited", ANSWER, NOW, later(500))
    assert.deepStrictEqual(
      ProviderKeyHealth.limited(long, "rate_limited", ANSWER, NOW, later(5)).limitedUntil,
      later(500)
    )
    assert.deepStrictEqual(
      ProviderKeyHealth.limited(long, "quota_exhausted", ANSWER, NOW, later(5)).limitedUntil,
      later(5)
    )
  })

  it("that is over leaves a key as it was: active, or unverified if it has never served", () => {
    const key = ProviderKeyHealth.limited(
      aKeyThatIs("active", { lastUsedAt: NOW }),
      "rate_limited",
      ANSWER,
      NOW,
      later(10)
    )
    assert.strictEqual(providerKeyStatusAt(key, later(9)), "rate_limited")
    assert.strictEqual(providerKeyStatusAt(key, later(10)), "active")
    assert.strictEqual(providerKeyStatusAt({ ...key, lastUsedAt: null }, later(10)), "unverified")
    assert.strictEqual(providerKeyStatusAt({ ...key, lastUsedAt: null, lastValidatedAt: NOW }, later(10)), "active")
  })
})
