import { parseHostPattern, patternsFor } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"

/** Whether a request to the URL gets what is kept for the pattern. */
const fits = (written: string, url: string): boolean => {
  const pattern = parseHostPattern(written)
  if (pattern === undefined) throw new Error(`${written} is no pattern`)
  return patternsFor(url).includes(pattern)
}

describe("the hosts of a secret", () => {
  it("are written as a host or as what is below a name, each perhaps with a port", () => {
    for (const text of [
      "api.example.com",
      "*.example.com",
      "*.a.b.example.com:8443",
      "localhost:8080",
      "internal",
      "10.0.0.7",
      "127.0.0.1:9000",
      "[2001:db8::1]",
      "[::1]:65535",
      "xn--bcher-kva.example",
      "_srv.example.com"
    ]) {
      assert.strictEqual(parseHostPattern(text), text)
    }
    assert.strictEqual(parseHostPattern("API.Example.COM"), "api.example.com")
  })

  it("are not written in a way that means more than it says, or something else", () => {
    for (const text of [
      "",
      "*",
      "*.",
      "*.com",
      "*.internal",
      "*.com:443",
      "*.*.example.com",
      "a*.example.com",
      "api.*.com",
      "**.example.com",
      "api.example.com.",
      "*.example.com.",
      ".example.com",
      "api..example.com",
      "https://api.example.com",
      "api.example.com/",
      "api.example.com/path",
      "user@api.example.com",
      "api.example.com:0",
      "api.example.com:65536",
      "api.example.com:",
      "api.example.com:443:443",
      "api example.com",
      "api.example.com\n",
      "*.127.0.0.1",
      "*.0.0.1",
      "*.[::1]",
      "0x7f.1",
      "2130706433",
      "127.1",
      "1.2.3",
      "[::1",
      "::1",
      "[0:0::1]",
      "[fe80::1%25eth0]",
      "bücher.example",
      "api.eſample.com",
      "api.example.\u212aom",
      `${"a".repeat(64)}.example.com`,
      `${"a.".repeat(127)}com`
    ]) {
      assert.isUndefined(parseHostPattern(text), JSON.stringify(text))
    }
  })

  it("fit URLs as names of hosts are compared", () => {
    assert.isTrue(fits("api.example.com", "https://api.example.com/a?b"))
    assert.isTrue(fits("api.example.com", "https://API.Example.com/"))
    assert.isTrue(fits("api.example.com", "https://api.example.com:443/"))
    assert.isTrue(fits("api.example.com:443", "https://api.example.com/"))
    assert.isTrue(fits("api.example.com", "http://api.example.com/"))
    assert.isTrue(fits("*.example.com", "https://a.b.example.com/"))
    assert.isTrue(fits("*.example.com:8443", "https://a.example.com:8443/"))
    assert.isTrue(fits("xn--bcher-kva.example", "https://bücher.example/"))
    assert.isTrue(fits("[2001:db8::1]:8443", "https://[2001:DB8::1]:8443/"))
  })

  it("fit no URL that merely looks alike", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["api.example.com", "https://api.example.com.evil.net/"],
      ["api.example.com", "https://evil.net/api.example.com"],
      ["api.example.com", "https://api.example.com@evil.net/"],
      ["api.example.com", "https://user:pass@api.example.com/"],
      ["api.example.com", "https://api.example.com./"],
      ["api.example.com", "https://api.example.com:8443/"],
      ["api.example.com:443", "http://api.example.com/"],
      ["api.example.com:8443", "https://api.example.com/"],
      ["api.example.com", "https://example.com/"],
      ["*.example.com", "https://example.com/"],
      ["*.example.com", "https://badexample.com/"],
      ["*.example.com", "https://api.example.com:8443/"],
      ["*.example.com", "https://a.example.com.evil.net/"],
      ["api.example.com", "https://evil.net#api.example.com"],
      ["api.example.com", "https://evil.net\\.api.example.com/"],
      ["api.example.com", "ftp://api.example.com/"],
      ["10.0.0.7", "https://110.0.0.7/"],
      ["api.example.com", "api.example.com"]
    ]
    for (const [pattern, url] of cases) assert.isFalse(fits(pattern, url), `${pattern} ${url}`)
  })

  it("are none of a name that is too long, which takes no time to find", () => {
    assert.isEmpty(patternsFor(`https://${"a.".repeat(500_000)}example.com/`))
    assert.isAtMost(patternsFor(`https://${"a.".repeat(124)}com/`).length, 252)
  })

  it("are ordered with the most particular first", () => {
    const written = (url: string): ReadonlyArray<string> => patternsFor(url)
    assert.deepStrictEqual(written("https://a.b.example.com/"), [
      "a.b.example.com:443",
      "a.b.example.com",
      "*.b.example.com:443",
      "*.b.example.com",
      "*.example.com:443",
      "*.example.com",
      "*.com:443",
      "*.com"
    ])
    assert.deepStrictEqual(written("https://10.0.0.7:8443/"), ["10.0.0.7:8443"])
  })
})
