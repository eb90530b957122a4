/** Where a login may lead: open redirects, tried one by one. */
import { assert, describe, it } from "@effect/vitest"
import { returnTarget, withLoginError } from "../src/returnTarget.ts"

const DASHBOARD = "https://dashboard.test/app"

describe("the place that a login leads to", () => {
  it("is the dashboard where none is asked for", () => {
    assert.strictEqual(returnTarget(DASHBOARD, undefined), DASHBOARD)
    assert.strictEqual(returnTarget("https://dashboard.test", undefined), "https://dashboard.test/")
  })

  const admitted: ReadonlyArray<readonly [string, string]> = [
    ["", "https://dashboard.test/app/"],
    ["/", "https://dashboard.test/"],
    ["/runs?page=2#top", "https://dashboard.test/runs?page=2#top"],
    ["runs", "https://dashboard.test/app/runs"],
    ["?tab=keys", "https://dashboard.test/app/?tab=keys"],
    ["/redirect?to=https://evil.test", "https://dashboard.test/redirect?to=https://evil.test"],
    ["/a/../../..//b", "https://dashboard.test//b"],
    ["/%2F%2Fevil.test", "https://dashboard.test/%2F%2Fevil.test"],
    ["/@evil.test", "https://dashboard.test/@evil.test"],
    ["https://dashboard.test", "https://dashboard.test/"],
    ["https://dashboard.test:443/x", "https://dashboard.test/x"],
    ["HTTPS://DASHBOARD.TEST/x", "https://dashboard.test/x"]
  ]
  for (const [asked, target] of admitted) {
    it(`is of the dashboard's origin for ${JSON.stringify(asked)}`, () => {
      assert.strictEqual(returnTarget(DASHBOARD, asked), target)
    })
  }

  const refused = [
    "//evil.test",
    "///evil.test",
    "////dashboard.test",
    "\\\\evil.test",
    "/\\evil.test",
    "\\/evil.test",
    "/\t/evil.test",
    "\t//evil.test",
    "/\n/evil.test",
    " //evil.test",
    "\u0000//evil.test",
    "/runs\r\nSet-Cookie: a=b",
    "\u200b//evil.test",
    "https://evil.test",
    "https:evil.test:99999",
    "https:/runs",
    "https:///dashboard.test",
    "runs:1",
    "https://evil.test/https://dashboard.test",
    "https://dashboard.test.evil.test/",
    "https://evildashboard.test/",
    "https://dashboard.test@evil.test/",
    "https://dashboard.test:x@evil.test/",
    "https://user@dashboard.test/",
    "https://user:password@dashboard.test/",
    "https://:password@dashboard.test/",
    "https://dashboard.test:8443/",
    "https://sub.dashboard.test/",
    "http://dashboard.test/",
    "ftp://dashboard.test/",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "blob:https://dashboard.test/x",
    "file:///etc/passwd",
    "https://",
    "https://dashboard.test\\.evil.test/",
    "https://dashboard.test%2eevil.test/",
    "https://dashboard。test.evil/",
    `/${"a".repeat(2_048)}`
  ]
  for (const asked of refused) {
    it(`is refused for ${JSON.stringify(asked.slice(0, 60))}`, () => {
      assert.isUndefined(returnTarget(DASHBOARD, asked))
    })
  }
})

describe("a login that was broken off", () => {
  it("says why by a word that is known, whatever the provider said", () => {
    const place = "https://dashboard.test/a?b=c#d"
    assert.strictEqual(
      withLoginError(place, "access_denied"),
      "https://dashboard.test/a?b=c&login_error=access_denied#d"
    )
    for (const word of ["", "x", "<script>", "access_denied "]) {
      assert.strictEqual(withLoginError(place, word), "https://dashboard.test/a?b=c&login_error=server_error#d")
    }
  })
})
