/** Webhook endpoints, their deliveries with every attempt, and replays. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createClient } from "@agent-platform/client"
import { assert, it, onTestFinished, vi } from "vitest"
import { assertAccessible, assertFocusOn, describeScreen } from "./pages.ts"

/** Refuses what comes first, and says something that no page may take for its own. */
const startReceiver = async () => {
  let received = 0
  const server = createServer((request, response) => {
    received += 1
    const status = received === 1 ? 503 : 200
    request.resume().once("end", () => response.writeHead(status).end("<script>document.title = 'taken over'</script>"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, received: () => received }
}

describeScreen("the webhooks", ({ aPlace, baseUrl, openAs, organizationKey }) => {
  it("are registered, tried, sent again singly and by a range", async () => {
    const receiver = await startReceiver()
    const page = await openAs(organizationKey(), "/webhooks")
    await page.getByRole("button", { name: "New endpoint" }).click()
    await assertFocusOn(page.getByLabel("Address"))
    await page.keyboard.type(receiver.url)
    // Nothing that other tests do is of this kind.
    await page.getByRole("checkbox", { name: "agent.paused_reminder" }).check()
    await assertAccessible(page)
    await page.getByRole("button", { name: "Register" }).click()
    const secret = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    assert.match(secret, /^whsec_/)
    await assertAccessible(page)
    await page.getByRole("button", { name: "Done" }).click()
    assert.notInclude(await page.content(), secret)
    await page.getByRole("link", { name: receiver.url }).click()
    await page.getByText("Nothing was sent here yet").waitFor()
    // Sent from elsewhere: the page notices it by itself.
    const organization = createClient({ baseUrl: baseUrl(), apiKey: organizationKey() })
    const endpoint_id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
    await organization.webhooks.testEndpoint({ params: { endpoint_id }, body: {} })
    const row = page.getByRole("row").filter({ hasText: "run.succeeded" })
    await row.getByText("503").waitFor()
    await row.getByText(/^Failing, next try in /).waitFor()
    await assertAccessible(page)
    await page.getByRole("link", { name: "All endpoints" }).click()
    const health = page.getByRole("row").filter({ hasText: receiver.url })
    await health.getByText(/^503, /).waitFor()
    await assertAccessible(page)
    await health.getByRole("link").click()

    // It failed, and is sent without waiting for its time.
    await row.getByRole("link").click()
    const dialog = page.getByRole("dialog", { name: "Delivery" })
    await dialog.getByText("Answered 503").waitFor()
    await dialog.getByText(/^Failing, next try in /).waitFor()
    await dialog.getByRole("button", { name: "Send again" }).click()
    await dialog.getByText("Answered 200").waitFor()
    await dialog.getByText("taken over").first().waitFor()
    await assertAccessible(page)
    await dialog.getByRole("button", { name: "Send again" }).click()
    await dialog.getByText("Answered 200").nth(1).waitFor()
    await page.keyboard.press("Escape")

    await page.getByRole("button", { name: "Send a range again" }).click()
    await page.getByText("Those that fail are not dead yet").waitFor()
    await page.getByRole("button", { name: "Which" }).click()
    await page.getByRole("menuitemradio", { name: "All deliveries" }).click()
    await assertAccessible(page)
    await page.getByRole("button", { name: "Send again", exact: true }).click()
    const replays = page.getByRole("region", { name: "Replays" })
    await replays.getByText("Completed").waitFor()
    await replays.getByText("1 sent again").waitFor()
    await assertAccessible(page)
    await row.getByRole("link").click()
    await dialog.getByText("Answered 200").nth(2).waitFor()
    assert.strictEqual(receiver.received(), 4)
    assert.notInclude(await page.title(), "taken over")
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Send a test" }).click()
    await row.nth(1).getByText("Delivered").waitFor()

    await page.getByRole("button", { name: "Actions for the endpoint" }).click()
    await page.getByRole("menuitem", { name: "Rotate the secret" }).click()
    await page.getByRole("button", { name: "Rotate", exact: true }).click()
    assert.notStrictEqual(await page.getByRole("dialog").locator("code").textContent(), secret)
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("button", { name: "Actions for the endpoint" }).click()
    await page.getByRole("menuitem", { name: "Disable" }).click()
    await page.getByRole("button", { name: "Enable" }).waitFor()
    await page.getByText("Disabled by hand").waitFor()
    await page.getByRole("link", { name: "All endpoints" }).click()
    await health.getByText("Disabled by hand").waitFor()
    await health.getByText(/^200, /).waitFor()
    await health.getByRole("link").click()
    await page.getByRole("button", { name: "Actions for the endpoint" }).click()
    await page.getByRole("menuitem", { name: "Delete" }).click()
    await page.getByRole("button", { name: "Delete", exact: true }).click()
    await page.waitForURL("**/webhooks")
  })

  it("say how many attempts have failed in a row", async () => {
    const organization = createClient({ baseUrl: baseUrl(), apiKey: organizationKey() })
    const url = "http://127.0.0.1:9/nobody-listens"
    const { id } = await organization.webhooks.registerEndpoint({ body: { url, event_types: ["run.cancelled"] } })
    const params = { endpoint_id: id }
    await organization.webhooks.testEndpoint({ params, body: {} })
    await organization.webhooks.testEndpoint({ params, body: {} })
    await vi.waitUntil(
      async () => {
        const { items } = await organization.webhooks.listDeliveries({ params })
        return items.filter(({ attempts }) => attempts.length > 0).length === 2
      },
      { timeout: 30_000, interval: 100 }
    )
    const page = await openAs(organizationKey(), "/webhooks")
    await page
      .getByRole("row")
      .filter({ hasText: url })
      .getByText(/^\d+ failed in a row: /)
      .waitFor()
    await assertAccessible(page)
    const { items } = await organization.webhooks.listDeliveries({ params })
    const last = items[0]?.delivery_id ?? ""
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Search" }).fill(last.slice(-8))
    await page.getByRole("option", { name: `Delivery ${last.slice(-8)}: ` }).waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("dialog", { name: "Delivery" }).waitFor()
    assert.strictEqual(new URL(page.url()).search, `?delivery=${last}`)
    await organization.webhooks.deleteEndpoint({ params })
    // Who looks here for the address that sets an agent going finds the way to it.
    await page.route("**/api/v1/org/webhooks?*", (route) => route.fulfill({ json: { items: [], next_cursor: null } }))
    await page.goto("/webhooks")
    await page.getByText("A webhook that sets an agent going is another thing").waitFor()
    await assertAccessible(page)
  })

  it("tell a test from what has happened", async () => {
    const receiver = await startReceiver()
    const { agentId, client, workspaceId } = await aPlace()
    const organization = createClient({ baseUrl: baseUrl(), apiKey: organizationKey() })
    const { id } = await organization.webhooks.registerEndpoint({
      body: { url: receiver.url, event_types: ["run.succeeded"], workspace_ids: [workspaceId] }
    })
    await client.runs.triggerRun({ body: { agent_id: agentId, message: "Hello", wait_seconds: 30 } })
    const page = await openAs(organizationKey(), `/webhooks/${id}`)
    const rows = page.getByRole("row").filter({ hasText: "run.succeeded" })
    await rows.first().waitFor()
    await page.getByRole("button", { name: "Send a test" }).click()
    const test = rows.filter({ has: page.getByText("Test", { exact: true }) })
    await test.waitFor()
    assert.deepStrictEqual([await rows.count(), await test.count()], [2, 1])
    await assertAccessible(page)
    await test.getByRole("link").click()
    await page.getByRole("dialog", { name: "Delivery" }).getByText("Test", { exact: true }).waitFor()
    await organization.webhooks.deleteEndpoint({ params: { endpoint_id: id } })
  })

  it("are not shown to a key of a workspace", async () => {
    const { key } = await aPlace()
    const page = await openAs(key, "/runs")
    await page.getByRole("link", { name: "Keys" }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "Webhooks" }).count(), 0)
  })
})
