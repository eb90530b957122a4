/** The link of `npm start`, and the first steps of a workspace without runs. */
import { createClient } from "@agent-platform/client"
import { assert, it } from "vitest"
import { assertAccessible, describeScreen, signIn } from "./pages.ts"

describeScreen("the first five minutes", ({ aPlace, baseUrl, open, openAs, organizationKey, stage }) => {
  it("begin with the printed link, which signs in once, and lead to a run and to a webhook", async () => {
    const link = new URL(stage.startLink)
    const organization = createClient({ baseUrl: baseUrl(), apiKey: organizationKey() })
    // Opening the address without running the page uses nothing up.
    assert.strictEqual((await fetch(link, { headers: { accept: "text/html" } })).status, 200)
    const page = await open(link.pathname + link.hash)
    await page.getByText("Nothing has run here yet").waitFor()
    assert.strictEqual(page.url(), `${baseUrl()}/runs`)
    await assertAccessible(page)

    const kept = await page.evaluate(() => sessionStorage.getItem("agent-platform.key"))
    const { items } = await organization.orgKeys.listOrgApiKeys()
    const made = items.find(({ name }) => name === "Dashboard, opened by npm start (organization)")
    const hours = (Date.parse(made?.expires_at ?? "") - Date.parse(made?.created_at ?? "")) / 3_600_000
    assert.closeTo(hours, 12, 0.01)
    const curl = await page.locator("pre").first().textContent()
    assert.match(curl ?? "", new RegExp(`^curl ${baseUrl()}/api/v1/runs/ -H "X-API-Key: apk_ws_`))
    assert.notInclude(curl ?? "", kept ?? "none")
    const shellKey = /apk_ws_\w+/.exec(curl ?? "")?.[0] ?? ""

    await page.getByRole("button", { name: "Say hello to Demo" }).click()
    await page.getByRole("row").getByText("Succeeded").waitFor()
    // The second step is still there for who comes back from a look at the first one.
    await page.reload()
    await page.getByRole("row").getByText("Succeeded").waitFor()
    await page.getByRole("button", { name: "Receive a webhook" }).click()
    const received = page.getByRole("list", { name: "Received webhooks" }).getByRole("listitem")
    await received.first().getByText("Test", { exact: true }).waitFor()
    await received.first().click()
    await received.first().getByText("x-service-signature").waitFor()
    await received.first().getByText("A test: its run is made up").waitFor()
    await assertAccessible(page)
    const steps = page.getByRole("region", { name: "First steps" })
    const failure = steps.getByRole("region", { name: "Let a delivery fail" })
    await failure.getByRole("button", { name: "Let a delivery fail, and" }).click()
    await failure.getByRole("button", { name: "Let a delivery fail", exact: true }).click()
    await failure.getByText("Answered 500").waitFor()
    await failure.getByText(/^Failing, next try in /).waitFor()
    assert.match((await failure.locator("pre").textContent()) ?? "", /deliveries\/[-0-9a-f]{36}\/replay$/)
    await assertAccessible(page)
    await failure.getByRole("button", { name: "Send again" }).click()
    await failure.getByText("Answered 204").waitFor()
    await failure.getByText("Done", { exact: true }).waitFor()
    await assertAccessible(page)
    // All are done, and said to be, a row for each: they stay until they are put away, and come back when asked for.
    await page.reload()
    for (const name of ["A first run", "A first webhook", "Let a delivery fail"]) {
      await steps.getByRole("region", { name }).getByText("Done", { exact: true }).waitFor()
    }
    assert.strictEqual(await steps.getByRole("button", { expanded: true }).count(), 0)
    await assertAccessible(page)
    await steps.getByRole("button", { name: "Put the first steps away" }).click()
    await steps.waitFor({ state: "detached" })
    await page.getByRole("link", { name: "Schedules" }).click()
    await page.getByRole("button", { name: "Signed in as" }).click()
    await page.getByRole("menuitem", { name: "First steps" }).click()
    await steps.waitFor()

    // A key that is made here ends with that of the link: how to get one that lasts is said.
    await page.getByRole("link", { name: "Keys", exact: true }).click()
    await page.getByRole("button", { name: "New key" }).click()
    const ends = page.getByRole("button", { name: "Ends With your own key" })
    const hint = page.locator(`[id="${await ends.getAttribute("aria-describedby")}"]`)
    assert.match((await hint.textContent()) ?? "", /sign in with the org_key in \/.+\/credentials\.json$/)
    await assertAccessible(page)
    await page.keyboard.press("Escape")
    // The use of a key elsewhere is seen here: nobody asks for it.
    const ofShell = page.getByRole("row").filter({ hasText: "Dashboard, opened by npm start (workspace)" })
    const used = ofShell.getByRole("cell").nth(4)
    await used.getByText("never").waitFor()
    await createClient({ baseUrl: baseUrl(), apiKey: shellKey }).auth.me()
    await used.locator("time").waitFor()
    await page.getByRole("navigation", { name: "Kinds of keys" }).getByRole("link", { name: "Organization" }).click()
    const own = page.getByRole("row").filter({ hasText: "Dashboard, opened by npm start (organization)" })
    await own.getByText("This page").waitFor()
    assert.strictEqual(await own.getByRole("cell").nth(4).textContent(), "now")
    await page.getByRole("link", { name: "Runs", exact: true }).click()

    // The key is of one workspace, and would find nothing in another.
    const { id } = await organization.workspaces.createWorkspace({ body: { name: "Another place" } })
    await page.reload()
    await page.getByRole("button", { name: "Workspace" }).click()
    await page.getByRole("menuitem", { name: "Another place" }).click()
    await page.getByText("Nothing has run here yet").waitFor()
    assert.strictEqual(await page.evaluate(() => sessionStorage.getItem("agent-platform.workspace")), id)
    assert.include((await page.locator("pre").first().textContent()) ?? "", 'X-API-Key: $KEY"')
    await page.getByRole("link", { name: "Make a key" }).click()
    await page.waitForURL("**/keys")

    const again = await open(link.pathname + link.hash)
    await again.getByText("This link was opened before").waitFor()
    assert.strictEqual(await again.evaluate(() => sessionStorage.length), 0)

    // Who signs out leaves none of the link's keys behind.
    const tab = await page.evaluate(() => ({ ...sessionStorage }))
    await page.getByRole("button", { name: "Signed in as" }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByLabel("API key").waitFor()
    assert.strictEqual(await page.evaluate(() => sessionStorage.length), 0)
    const statusOf = async (key: string) =>
      (await fetch(`${baseUrl()}/api/v1/auth/me`, { headers: { "X-API-Key": key } })).status
    assert.deepStrictEqual([await statusOf(kept ?? ""), await statusOf(shellKey)], [401, 401])

    // A key that is ended elsewhere takes all that came of the link with it.
    await page.evaluate((all) => {
      for (const one of Object.entries(all)) sessionStorage.setItem(...one)
    }, tab)
    await page.reload()
    await page.getByLabel("API key").waitFor()
    assert.strictEqual(await page.evaluate(() => sessionStorage.getItem("agent-platform.trial")), null)
  })

  it("lead to an agent that asks, and goes on with the answer", async () => {
    const { key } = await aPlace()
    const page = await openAs(key, "/runs")
    await page.getByRole("button", { name: "Let it ask you something" }).click()
    const reply = page.getByRole("region", { name: "Reply" })
    await reply.getByText("Shall I refund 40 USD?").waitFor()
    const asked = page.url()
    await reply.getByRole("textbox").fill("Yes")
    await reply.getByRole("button", { name: "Reply" }).click()
    await page.waitForURL((url) => /\/runs\/./.test(url.pathname) && url.href !== asked)
    await page.getByRole("region", { name: "Log" }).getByText("It is refunded.").first().waitFor()
  })

  it("have commands to complete for who pastes a key", async () => {
    const { key } = await aPlace()
    const page = await openAs(key, "/runs")
    await page.getByText("Nothing has run here yet").waitFor()
    assert.include((await page.locator("pre").first().textContent()) ?? "", 'X-API-Key: $KEY"')
    assert.strictEqual(await page.getByText("A first webhook").count(), 0)
    await assertAccessible(page)
  })

  it("are there until they are put away, and have the listener for a key that was pasted, too", async () => {
    const { id } = await createClient({ baseUrl: baseUrl(), apiKey: organizationKey() }).workspaces.createWorkspace({
      body: { name: "First steps" }
    })
    const client = createClient({ baseUrl: baseUrl(), apiKey: organizationKey(), workspaceId: id })
    const { agent_id } = await client.agents.createAgent({ body: { name: "Greeter", recipe: "demo" } })
    const page = await open("/runs")
    await page.evaluate((chosen) => sessionStorage.setItem("agent-platform.workspace", chosen), id)
    await signIn(page, organizationKey())
    await page.getByText("Nothing has run here yet").waitFor()
    await client.runs.triggerRun({ body: { agent_id, message: "Hello" } })
    await page.getByText("It has run").waitFor()
    await page.reload()
    const failure = page.getByRole("region", { name: "Let a delivery fail" })
    await failure.waitFor()
    assert.include((await failure.locator("pre").textContent()) ?? "", 'X-API-Key: $ORG_KEY"')
    await page.getByRole("button", { name: "Put the first steps away" }).click()
    await page.getByRole("region", { name: "First steps" }).waitFor({ state: "detached" })
    await page.reload()
    await page.getByRole("row").getByText("Succeeded").waitFor()
    assert.strictEqual(await page.getByRole("region", { name: "First steps" }).count(), 0)
  })
})
