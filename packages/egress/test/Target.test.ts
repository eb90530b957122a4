import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { EgressPolicy } from "../src/EgressPolicy.ts"
import { parseTarget } from "../src/Target.ts"
import { aPolicy, reaches } from "./support.ts"
import vectors from "./vectors/urls.json" with { type: "json" }

const strict = aPolicy("")
const local = aPolicy("", { allowLoopback: true })

const verdict = (policy: EgressPolicy, url: string) =>
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
    assert.deepStrictEqual(target, {
      origin: "https://example.com:8443",
      peer: { isPlain: false, host: "example.com", address: undefined, port: 8443 },
      path: "/a/b?c=d"
    })
  })

  it("gives an IPv6 host without its brackets", () => {
    assert.strictEqual(Result.getOrThrow(parseTarget(local, "http://[::1]:3000")).peer.host, "::1")
  })

  it("says what is wrong without quoting the credentials or the query", () => {
    const refusal = (url: string) => Result.getOrThrow(Result.flip(parseTarget(strict, url)))
    assert.strictEqual(refusal("https://u:s3cret@example.com/"), "The URL contains credentials")
    assert.strictEqual(refusal("http://example.com/?token=s3cret"), "The URL must use https")
    assert.strictEqual(refusal("https://[s3cret]/"), "The URL cannot be parsed")
    assert.strictEqual(
      refusal("https://127.1/?token=s3cret"),
      "The host is not written in its canonical form, which is 127.0.0.1"
    )
  })

  it("says that a port is closed where nothing else is in the way", () => {
    const closed = "The port is closed here: the platform itself listens on it, or a database or metrics do"
    const refusal = (policy: EgressPolicy, url: string) => Result.getOrThrow(Result.flip(parseTarget(policy, url)))
    const open = aPolicy("http://10.0.0.0/8", { allowLoopback: true, anywhere: [5432], here: [8080] })
    assert.strictEqual(refusal(open, "http://localhost:8080/"), closed)
    assert.strictEqual(refusal(open, "https://127.0.0.1:8080/"), closed)
    assert.strictEqual(refusal(open, "http://10.0.0.1:5432/"), closed)
    assert.strictEqual(refusal(open, "http://1.1.1.1:5432/"), "The URL must use https")
    const shut = aPolicy("", { anywhere: [5432], here: [8080] })
    assert.strictEqual(refusal(shut, "http://localhost:8080/"), "The URL must use https")
    assert.strictEqual(refusal(shut, "https://localhost:8080/"), "The host is not a public address")
  })
})

const over = (host: string) => ({ isPlain: false, host, port: 443 })

describe("mayReach", () => {
  it("lets every host reach a public address", () => {
    assert.isTrue(reaches(strict, over("example.com"), "1.1.1.1"))
    assert.isTrue(reaches(local, over("example.com"), "2606:4700:4700::1111"))
  })

  it("lets no name but localhost reach the loopback", () => {
    assert.isFalse(reaches(local, over("example.com"), "127.0.0.1"))
    assert.isFalse(reaches(local, over("localhost.example.com"), "::1"))
    assert.isFalse(reaches(local, over("1.1.1.1"), "127.0.0.1"))
    assert.isTrue(reaches(local, over("localhost"), "127.0.0.1"))
    assert.isFalse(reaches(strict, over("localhost"), "127.0.0.1"))
  })

  it("lets a loopback host reach no other inner address", () => {
    assert.isFalse(reaches(local, over("localhost"), "10.0.0.1"))
    assert.isFalse(reaches(local, over("127.0.0.1"), "169.254.169.254"))
  })
})
