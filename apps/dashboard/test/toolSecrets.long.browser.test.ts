/** The secrets of tools, and limits of keys. */
import { assert, it } from "vitest"
import { assertAccessible, describeScreen } from "./pages.ts"

describeScreen("secrets and limits", ({ aPlace, openAs }) => {
  it("of tools are added, changed and deleted, and never shown", async () => {
    const { client, key } = await aPlace()
    const page = await openAs(key, "/keys/tools")
    await page.getByRole("button", { name: "Add a tool secret" }).click()
    await page.getByLabel("Name").fill("Search")
    await page.getByLabel("Hosts").fill("api.example.com")
    await page.getByLabel("Header").fill("X-Token")
    await page.getByLabel("Value", { exact: true }).fill("a value that nobody reads")
    await assertAccessible(page)
    await page.getByRole("button", { name: "Add the secret" }).click()
    const row = page.getByRole("row").filter({ hasText: "api.example.com" })
    await row.getByText("x-token").waitFor()
    assert.notInclude(await page.content(), "a value that nobody reads")

    const act = async (name: string) => {
      await row.getByRole("button", { name: "Actions for" }).click()
      await page.getByRole("menuitem", { name }).click()
    }
    await act("Change")
    await page.getByLabel("Name").fill("Search of the web")
    await page.getByRole("button", { name: "Save" }).click()
    await row.getByRole("cell", { name: "Search of the web" }).first().waitFor()
    const [secret] = (await client.toolSecrets.listToolSecrets()).items
    assert.deepInclude(secret, { name: "Search of the web", header: "x-token", host_pattern: "api.example.com" })
    await act("Delete")
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByText("This workspace has no tool secret yet").waitFor()
  })

  it("of keys say how much one may ask", async () => {
    const { client, key } = await aPlace()
    const page = await openAs(key, "/keys")
    await page.getByRole("button", { name: "New key" }).click()
    await page.getByLabel("Name").fill("Limited")
    await page.getByLabel("Requests at most").fill("100")
    await page.getByLabel("Within (seconds)").fill("10")
    await page.getByRole("button", { name: "Create the key" }).click()
    await page.getByRole("button", { name: "Done" }).click()
    const { items } = await client.auth.listApiKeys()
    const made = items.find(({ name }) => name === "Limited")
    assert.deepStrictEqual(made?.rate_limit, { limit: 100, window_seconds: 10 })
  })
})
