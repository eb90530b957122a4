import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { mayReach, parseTarget } from "../src/Target.ts"
import vectors from "./vectors/urls.json" with { type: "json" }

const strict = { allowLoopback: false }
const local = { allowLoopback: true }

const verdict = (policy: { readonly allowLoopback: boolean }, url: string) =>
  Result.isSuccess(parseTarget(policy, url)) ? "admitted" : "refused"

const shown = (url: string) => JSON.stringify(url.length > 60 ? `${url.slice(0, 60)}...` : url)

// Spec: Webhook endpoint 1.
describe("parseTarget", () => {
  for (const { loopback, url, verdict: expected, why } of vectors) {
    it(`${shown(url)} is ${expected}: ${why}`, () => {
      assert.strictEqual(verdict(strict, url), expected)
    })
    it(`${shown(url)} is ${loopback} where the loopback is allowed: ${why}`, () => {
      assert.strictEqual(verdict(local, url), loopback)
    })
  }

  it("takes the URL apart into origin, host and path, without the fragment", () => {
    const target = Result.getOrThrow(parseTarget(strict, "https://Example.com:8443/a/b?c=d#e"))
    assert.deepStrictEqual(target, { origin: "https://example.com:8443", host: "example.com", path: "/a/b?c=d" })
  })

  it("gives an IPv6 host without its brackets", () => {
    assert.strictEqual(Result.getOrThrow(parseTarget(local, "http://[::1]:3000")).host, "::1")
  })

  it("says what is wrong without quoting the credentials or the query", () => {
    const refusal = (url: string) => Result.getOrThrow(Result.flip(parseTarget(strict, url)))
    assert.strictEqual(refusal("https://u:s3cret@example.com/"), "The URL contains credentials")
    assert.strictEqual(refusal("http://example.com/?token=s3cret"), "The URL must use https")
    assert.strictEqual(refusal("https://[s3cret]/"), "The URL cannot be parsed")
  })
})

describe("mayReach", () => {
  it("lets every host reach a public address", () => {
    assert.isTrue(mayReach(strict, "example.com", "1.1.1.1"))
    assert.isTrue(mayReach(local, "example.com", "2606:4700:4700::1111"))
  })

  it("lets no name but localhost reach the loopback", () => {
    assert.isFalse(mayReach(local, "example.com", "127.0.0.1"))
    assert.isFalse(mayReach(local, "localhost.example.com", "::1"))
    assert.isFalse(mayReach(local, "1.1.1.1", "127.0.0.1"))
    assert.isTrue(mayReach(local, "localhost", "127.0.0.1"))
    assert.isFalse(mayReach(strict, "localhost", "127.0.0.1"))
  })

  it("lets a loopback host reach no other inner address", () => {
    assert.isFalse(mayReach(local, "localhost", "10.0.0.1"))
    assert.isFalse(mayReach(local, "127.0.0.1", "169.254.169.254"))
  })
})
