/** API keys and provider keys: made, shown once, rotated, ended. */
import { type AgentPlatformClient, ApiProblem, createClient } from "@agent-platform/client"
import { assert, it } from "vitest"
import { assertAccessible, assertFocusOn, describeScreen, faultOf, signIn } from "./pages.ts"

const statusOf = async (client: AgentPlatformClient): Promise<number> => {
  try {
    await client.auth.me()
    return 200
  } catch (error) {
    if (error instanceof ApiProblem) return error.status
    throw error
  }
}

describeScreen("the keys", ({ aPlace, baseUrl, open, openAs, organizationKey }) => {
  it("are made, rotated and revoked, and shown once", async () => {
    const { key } = await aPlace()
    const page = await openAs(key, "/keys")
    await page.getByRole("row").filter({ hasText: "Tests" }).getByText("Active").waitFor()
    await assertAccessible(page)
    await page.getByRole("button", { name: "New key" }).click()
    await page.getByLabel("Name").fill("Reader of runs")
    await page.getByRole("button", { name: "Read only" }).click()
    assert.isTrue(await page.getByRole("checkbox", { name: "runs:read See runs and sessions" }).isChecked())
    assert.isFalse(await page.getByRole("checkbox", { name: "runs:write" }).isChecked())
    // A fault stands at its box, and nowhere else.
    await page.getByLabel("Networks").fill("not a network")
    await page.getByLabel("Requests at most").fill("0")
    // The buttons stay in sight wherever the form is, and the first fault comes into sight.
    await page.getByRole("dialog").evaluate((dialog) => dialog.scrollTo(0, 0))
    const create = page.getByRole("button", { name: "Create the key" })
    assert.isBelow((await create.boundingBox())?.y ?? Number.NaN, page.viewportSize()?.height ?? 0)
    await create.click()
    await page.getByRole("alert").first().waitFor()
    assert.isAbove(await page.getByRole("dialog").evaluate((dialog) => dialog.scrollTop), 0)
    assert.match(await faultOf(page.getByLabel("Networks")), /^Networks/)
    assert.match(await faultOf(page.getByLabel("Requests at most")), /^Requests at most/)
    assert.strictEqual(await page.getByRole("alert").count(), 2)
    await assertAccessible(page)
    await page.getByLabel("Networks").fill("")
    await page.getByLabel("Requests at most").fill("")
    await page.getByRole("button", { name: "Create the key" }).click()
    const value = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    await assertAccessible(page)
    const made = createClient({ baseUrl: baseUrl(), apiKey: value })
    assert.notInclude((await made.auth.me()).auth.scopes, "runs:write")
    // A command that this key may make.
    const commandOf = () => page.getByRole("dialog").locator("pre").textContent()
    assert.strictEqual(await commandOf(), `curl ${baseUrl()}/api/v1/auth/me -H "X-API-Key: ${value}"`)
    await page.getByRole("button", { name: "Done" }).click()
    const row = page.getByRole("row").filter({ hasText: "Reader of runs" })
    await row.getByText("Active").waitFor()
    assert.notInclude(await page.content(), value)
    assert.notInclude(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage])), value)

    await row.getByRole("button", { name: "Actions for Reader of runs" }).click()
    await page.getByRole("menuitem", { name: "Rotate" }).click()
    await page.getByRole("button", { name: "The old value works" }).click()
    await page.getByRole("menuitemradio", { name: "For an hour" }).click()
    await page.getByRole("button", { name: "Rotate", exact: true }).click()
    const next = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    await page.getByRole("button", { name: "Done" }).click()
    await row.getByText("Rotating").waitFor()
    const successor = createClient({ baseUrl: baseUrl(), apiKey: next })
    assert.deepStrictEqual([await statusOf(made), await statusOf(successor)], [200, 200])

    const active = row.filter({ hasText: "Active" })
    await active.getByRole("button", { name: "Actions for Reader of runs" }).click()
    await page.getByRole("menuitem", { name: "Switch off" }).click()
    const off = row.filter({ hasText: "Switched off" })
    await off.waitFor()
    assert.strictEqual(await statusOf(successor), 401)
    await off.getByRole("button", { name: "Actions for Reader of runs" }).click()
    await page.getByRole("menuitem", { name: "Revoke" }).click()
    await assertAccessible(page)
    await page.getByRole("button", { name: "Revoke", exact: true }).click()
    await row.filter({ hasText: "Revoked" }).waitFor()
  })

  it("of providers are added, checked and removed, and say why one is not taken", async () => {
    const { client, key } = await aPlace()
    const page = await openAs(key, "/keys/providers")
    await page.getByText("no provider key yet").waitFor()
    await assertAccessible(page)
    await page.getByRole("button", { name: "Add a provider key" }).click()
    await page.getByRole("button", { name: "Provider OpenAI" }).click()
    await page.getByRole("menuitemradio", { name: "Compatible with OpenAI" }).click()
    await page.getByLabel("Name").fill("Ours")
    await page.getByLabel("Key", { exact: true }).fill("sk-test-1234567890abcdef")
    await page.getByLabel("Base URL").fill("http://10.20.30.40/v1")
    await page.getByRole("checkbox", { name: "Ask the provider first" }).uncheck()
    await page.getByRole("button", { name: "Add the key" }).click()
    await faultOf(page.getByLabel("Base URL"))
    assert.strictEqual(await page.getByRole("alert").count(), 1)
    await page.getByRole("button", { name: "Provider Compatible with OpenAI" }).click()
    await page.getByRole("menuitemradio", { name: "OpenAI", exact: true }).click()
    await page.getByRole("button", { name: "Add the key" }).click()
    const row = page.getByRole("row").filter({ hasText: "Ours" })
    await row.getByText("Not checked").waitFor()
    await assertAccessible(page)
    assert.deepStrictEqual(
      (await client.byok.listProviderKeys()).items.map(({ name, provider }) => [name, provider]),
      [["Ours", "openai"]]
    )

    // A check that came to nothing is said, after adding and in the row.
    const found = await client.byok.listProviderKeys()
    const last_error = { code: "unreachable", provider_status: null, provider_code: null, at: new Date().toISOString() }
    const unreached = found.items.map((one) => ({ ...one, last_error }))
    const list = (url: URL) => url.pathname === "/api/v1/byok/"
    await page.route(list, (route) => route.fulfill({ json: { ...found, items: unreached } }))
    await page.route("**/api/v1/byok/*/validate", (route) => route.fulfill({ json: unreached[0] }))
    await page.route("**/api/v1/byok/openai", (route) => route.fulfill({ status: 201, json: unreached[0] }))
    await row.getByRole("button", { name: "Actions for Ours" }).click()
    await page.getByRole("menuitem", { name: "Check now" }).click()
    await page.getByText("Ours: OpenAI could not be reached.").waitFor()
    await row.getByText(/^OpenAI could not be reached, (now|\d+ sec)/).waitFor()
    await page.getByRole("button", { name: "Add a provider key" }).click()
    await page.getByLabel("Key", { exact: true }).fill("sk-test-1234567890abcdef")
    await page.getByRole("button", { name: "Add the key" }).click()
    const doubt = page.getByRole("dialog", { name: "The key is not checked" })
    await doubt.getByText("OpenAI could not be reached.").waitFor()
    await assertAccessible(page)
    await doubt.getByRole("button", { name: "Done" }).click()
    await page.unrouteAll()

    await row.getByRole("button", { name: "Actions for Ours" }).click()
    await page.getByRole("menuitem", { name: "Remove" }).click()
    await page.getByRole("button", { name: "Remove", exact: true }).click()
    await page.getByText("no provider key yet").or(row.getByText("Removed")).waitFor()
  })

  it("of the organization are made by those who manage it, and shown once", async () => {
    const page = await openAs(organizationKey(), "/keys/organization")
    await page.getByRole("button", { name: "New key" }).click()
    // By keys alone: one writes into the first field, and Enter makes the key, whose value can be copied at once.
    await assertFocusOn(page.getByLabel("Name"))
    await page.keyboard.type("Programs of operations")
    // While it is being sent there is nothing to discard, and its answer has the value.
    const sent = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    await page.route("**/api/v1/org/api-keys", async (route) => {
      if (route.request().method() === "POST") {
        sent.resolve()
        await release.promise
      }
      await route.continue()
    })
    await page.keyboard.press("Enter")
    await sent.promise
    await page.keyboard.press("Escape")
    assert.strictEqual(await page.getByRole("alertdialog").count(), 0)
    assert.strictEqual(await page.getByRole("dialog").count(), 1)
    release.resolve()
    await assertFocusOn(page.getByRole("button", { name: "Copy the secret" }))
    const value = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    const { auth, workspace } = await createClient({ baseUrl: baseUrl(), apiKey: value }).auth.me()
    assert.deepStrictEqual([auth.method, auth.key_name, workspace], ["org_api_key", "Programs of operations", null])
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("row").filter({ hasText: "Programs of operations" }).getByText("Active").waitFor()
    assert.notInclude(await page.content(), value)
  })

  it("are shown with a command that triggers a run with them", async () => {
    const { agentId, key } = await aPlace()
    const page = await openAs(key, "/keys")
    await page.getByRole("button", { name: "New key" }).click()
    await page.getByLabel("Name").fill("Of the shell")
    await page.getByRole("button", { name: "Create the key" }).click()
    await page.getByRole("dialog").getByText(agentId).waitFor()
    await page.getByRole("button", { name: "Copy the command" }).click()
    await page.getByRole("dialog").getByText("Copied").waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    const value = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    assert.include(copied, `curl ${baseUrl()}/api/v1/runs/ -H "X-API-Key: ${value}"`)
    assert.include(copied, `-d '{"agent_id": "${agentId}", "message": "Hello"}'`)
    await assertAccessible(page)
    await page.getByRole("button", { name: "Done" }).click()
    assert.notInclude(await page.content(), value)
  })

  it("end with the key that makes them, which is said before and after", async () => {
    const organization = createClient({ baseUrl: baseUrl(), apiKey: organizationKey() })
    const body = { name: "Of a hundred days", expires_in_seconds: 100 * 86_400 }
    const maker = (await organization.orgKeys.createOrgApiKey({ body })).key ?? ""
    const page = await openAs(maker, "/keys/organization")
    await page.getByRole("button", { name: "New key" }).click()
    await page.getByRole("button", { name: /^Ends With your own key, in / }).click()
    await page.getByRole("menuitemradio", { name: "In 90 days" }).waitFor()
    assert.strictEqual(await page.getByRole("menuitemradio", { name: "In a year" }).count(), 0)
    assert.strictEqual(await page.getByRole("menuitemradio", { name: "Never" }).count(), 0)
    await page.getByRole("menuitemradio", { name: /^With your own key/ }).click()
    await page.getByLabel("Name").fill("Ends with its maker")
    await page.getByRole("button", { name: "Create the key" }).click()
    const end = await page
      .getByRole("dialog")
      .getByText(/^It ends in /)
      .locator("time")
      .getAttribute("datetime")
    const made = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    const { auth } = await createClient({ baseUrl: baseUrl(), apiKey: made }).auth.me()
    assert.isNotNull(auth.expires_at)
    assert.strictEqual(end, auth.expires_at)
    assert.strictEqual(await page.getByRole("dialog").getByText(/\.\.$/).count(), 0)
    await assertAccessible(page)
  })

  it("of the organization are shown to those who manage it alone", async () => {
    const { key } = await aPlace()
    const page = await openAs(key, "/keys")
    await page.getByRole("link", { name: "Model providers" }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "Organization" }).count(), 0)
    assert.strictEqual(await page.getByRole("button", { name: "Revoke all" }).count(), 0)
  })

  it("are revoked all together by who owns them, and it is said which are not", async () => {
    const { client, workspaceId } = await aPlace()
    const made = await Promise.all(["One", "Two"].map((name) => client.auth.createApiKey({ body: { name } })))
    const page = await open("/keys")
    await page.evaluate((chosen) => sessionStorage.setItem("agent-platform.workspace", chosen), workspaceId)
    await signIn(page, organizationKey())
    const detail = "Somebody else is changing it"
    const path = `/api/v1/auth/api-keys/${made[0]?.id}`
    const problem = { type: "about:blank", title: "Conflict", status: 409, code: "conflict", detail }
    await page.route(
      (url) => url.pathname === path,
      (route) => route.fulfill({ status: 409, contentType: "application/problem+json", json: problem })
    )
    await page.getByRole("button", { name: "Revoke all but this page's" }).click()
    const dialog = page.getByRole("dialog", { name: "Revoke all keys but this page's?" })
    await dialog.getByText("3 keys of this workspace").waitFor()
    await assertAccessible(page)
    await dialog.getByRole("button", { name: "Revoke 3 keys" }).click()
    await dialog.getByRole("button", { name: "Done" }).waitFor()
    await dialog.getByText("2 of 3 keys revoked.").waitFor()
    assert.match((await dialog.getByRole("alert").textContent()) ?? "", /One \(.*\): Somebody else is changing it/)
    await assertAccessible(page)
    await dialog.getByRole("button", { name: "Done" }).click()
    await page.getByRole("row").filter({ hasText: "Two" }).getByText("Revoked").waitFor()
    await page.getByRole("row").filter({ hasText: "One" }).getByText("Active").waitFor()
  })
})
