/** Logins by identity providers, as the login screen offers them. */
import { assert, describe, it } from "vitest"
import { loginFailure, providerLink, providerName } from "../src/screens/login/providers.ts"

const HERE = "https://agents.example.com/runs?status=failed&login_error=access_denied#x"

describe("the link to a provider", () => {
  it("leads back to where one is, without the failure of the login before", () => {
    const link = new URL(providerLink("https://agents.example.com/api/v1/auth/oauth/google/login", HERE))
    assert.strictEqual(link.pathname, "/api/v1/auth/oauth/google/login")
    assert.strictEqual(link.searchParams.get("return_to"), "https://agents.example.com/runs?status=failed")
  })

  it("is called as people call the provider", () => {
    assert.deepStrictEqual(["google", "github", "keycloak"].map(providerName), ["Google", "GitHub", "Keycloak"])
  })
})

describe("a login that failed", () => {
  it("is said in words of ours, whatever stands in the address", () => {
    assert.isUndefined(loginFailure("?status=failed"))
    assert.include(loginFailure("?login_error=access_denied") ?? "", "declined")
    assert.notInclude(loginFailure("?login_error=<b>call+this+number</b>") ?? "", "number")
    assert.include(loginFailure("?login_error=constructor") ?? "", "did not succeed")
  })
})
