/** Templates of an organization for all of its workspaces: made, changed, ended, and who has set something for itself. */
import type { Page } from "playwright-core"
import { assert, it, vi } from "vitest"
import { startAgent } from "./agentServer.ts"
import { anOrganization } from "./ownOrganization.ts"
import { assertAccessible, assertWithin, describeScreen } from "./pages.ts"

const act = async (page: Page, name: string, item: string) => {
  await page.getByRole("button", { name: `Actions for ${name}` }).click()
  await page.getByRole("menuitem", { name: item }).click()
}

const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text })

describeScreen("what all workspaces are given", ({ aPlace, openAs, stage }) => {
  it("is agents, whose settings and secret follow their template but for what a workspace has set for itself", async () => {
    const { client, inside, key, one, two } = await anOrganization(stage)
    const server = await startAgent()
    const page = await openAs(key, "/organization/agents")
    await page.getByText("No agent is given to all workspaces yet").waitFor()
    await assertAccessible(page)
    await page.getByRole("button", { name: "New agent for all" }).click()
    await page.getByLabel("Name").fill("Helper")
    await page.getByLabel("Recipe").fill("http")
    await page.getByLabel("URL of your program").fill(server.url)
    await page.getByLabel("Other settings").fill("{")
    assert.isTrue(await page.getByRole("button", { name: "Create the agents" }).isDisabled())
    await page.getByLabel("Other settings").fill("{}")
    await assertAccessible(page)
    await page.getByRole("button", { name: "Create the agents" }).click()
    const secret = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    await assertAccessible(page)
    await page.getByRole("button", { name: "Done" }).click()
    await rowOf(page, "Helper").getByText("2 of 2 workspaces").waitFor()
    await assertAccessible(page)
    assert.notInclude(await page.content(), secret)

    // A workspace sets something for itself, and keeps it.
    const [agent] = (await inside(one).agents.listAgents()).items
    const params = { agent_id: agent?.agent_id ?? "" }
    await inside(one).agents.updateAgent({ params, body: { description: "Ours" } })
    await page.getByRole("link", { name: "Helper" }).click()
    await rowOf(page, one.slice(-8)).getByText("With its own").waitFor()
    await rowOf(page, one.slice(-8)).getByText("description").waitFor()
    await rowOf(page, two.slice(-8)).getByText("As the template").waitFor()
    await assertAccessible(page)

    await act(page, "Helper", "Change")
    await page.getByLabel("Description").fill("Everybody's")
    await page.getByLabel("Name").fill("Helper of all")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { name: "Helper of all", level: 1 }).waitFor()
    await page.getByText("Version 2").waitFor()
    await page.getByRole("status").getByText("2 of 2 workspaces").waitFor()
    const told = async (workspaceId: string) => {
      const [{ description, name } = {}] = (await inside(workspaceId).agents.listAgents()).items as ReadonlyArray<{
        readonly name?: string
        readonly description?: string | null
      }>
      return [name, description]
    }
    await vi.waitUntil(async () => (await told(two))[0] === "Helper of all", { timeout: 30_000, interval: 100 })
    assert.deepStrictEqual(
      [await told(one), await told(two)],
      [
        ["Helper of all", "Ours"],
        ["Helper of all", "Everybody's"]
      ]
    )

    await act(page, "Helper of all", "Rotate the endpoint's secret")
    await page.getByRole("button", { name: "Rotate", exact: true }).click()
    const next = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    assert.notStrictEqual(next, secret)
    assert.isNotEmpty(next)
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByText("Version 3").waitFor()

    await act(page, "Helper of all", "Delete")
    await assertAccessible(page)
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("No agent is given to all workspaces yet").waitFor()
    assert.isEmpty((await client.orgAgentTemplates.listAgentTemplates()).items)
    assert.lengthOf((await inside(two).agents.listAgents()).items, 1)

    // The recipe that the form shows is the one that they get.
    await page.getByRole("button", { name: "New agent for all" }).click()
    await page.getByLabel("Name").fill("Talker")
    await page.getByLabel("Model").fill("openai/gpt-5")
    await page.getByRole("button", { name: "Create the agents" }).click()
    await rowOf(page, "Talker").getByText("chat").waitFor()
    server.stop()
  })

  it("is provider keys, whose value goes everywhere and is revoked everywhere", async () => {
    const { client, inside, key, two } = await anOrganization(stage)
    const page = await openAs(key, "/organization/provider-keys")
    await page.getByText("No provider key is given to all workspaces yet").waitFor()
    await assertAccessible(page)
    await page.getByRole("button", { name: "Add a key for all" }).click()
    await page.getByLabel("Name").fill("Everybody's")
    await page.getByLabel("Key", { exact: true }).fill("sk-test-1234567890abcdef")
    await page.getByRole("checkbox", { name: "Ask the provider first" }).uncheck()
    await assertAccessible(page)
    await page.getByRole("button", { name: "Add the key" }).click()
    await rowOf(page, "Everybody's").getByText("2 of 2 workspaces").waitFor()
    await assertAccessible(page)
    assert.notInclude(await page.content(), "1234567890")

    await act(page, "Everybody's", "Change")
    await page.getByLabel("New value").fill("sk-test-fedcba0987654321")
    await page.getByLabel("Priority").fill("7")
    await page.getByRole("checkbox", { name: "Ask the provider first" }).uncheck()
    await page.getByRole("button", { name: "Save" }).click()
    await rowOf(page, "Everybody's").getByText("7", { exact: true }).waitFor()
    const keyOf = async () => (await inside(two).byok.listProviderKeys()).items[0]
    await vi.waitUntil(async () => (await keyOf())?.priority === 7, { timeout: 30_000, interval: 100 })
    assert.include((await keyOf())?.hint, "321")

    await act(page, "Everybody's", "Revoke")
    await assertAccessible(page)
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click()
    await rowOf(page, "Everybody's").getByText("Removed").waitFor()
    await vi.waitUntil(async () => (await keyOf())?.status === "revoked", { timeout: 30_000, interval: 100 })
    // A revoked one can only be deleted.
    await page.getByRole("button", { name: "Actions for Everybody's" }).click()
    assert.deepStrictEqual(await page.getByRole("menuitem").allInnerTexts(), ["Delete"])
    await page.getByRole("menuitem", { name: "Delete" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("No provider key is given to all workspaces yet").waitFor()
    assert.isEmpty((await client.orgProviderKeys.listProviderKeyTemplates()).items)
  })

  it("is tool secrets, and says of each workspace why it has none", async () => {
    const { client, inside, key, one, two } = await anOrganization(stage)
    const own = { name: "Own", host_pattern: "api.example.com", header: "x-token", value: "own value 0123456789" }
    await inside(one).toolSecrets.createToolSecret({ body: own })
    const page = await openAs(key, "/organization/tool-secrets")
    await page.getByText("No tool secret is given to all workspaces yet").waitFor()
    await assertAccessible(page)
    await page.getByRole("button", { name: "Add a secret for all" }).click()
    await page.getByLabel("Name").fill("Orders")
    await page.getByLabel("Hosts").fill("api.example.com")
    await page.getByLabel("Header").fill("X-Token")
    await page.getByLabel("Value", { exact: true }).fill("a value that nobody reads")
    await page.getByRole("button", { name: "Add the secret" }).click()
    await rowOf(page, "Orders").getByText("2 of 2 workspaces").waitFor()
    await assertAccessible(page)
    assert.notInclude(await page.content(), "a value that nobody reads")
    // By keys alone: the first row, and into it.
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await rowOf(page, one.slice(-8)).getByText("Has another in its place").waitFor()
    await rowOf(page, two.slice(-8)).getByText("As the template").waitFor()
    await assertAccessible(page)

    const [followed] = (await inside(two).toolSecrets.listToolSecrets()).items
    await inside(two).toolSecrets.deleteToolSecret({ params: { secret_id: followed?.id ?? "" } })
    await act(page, "Orders", "Change")
    await page.getByLabel("Name").fill("Orders of all")
    await page.getByRole("button", { name: "Save" }).click()
    await rowOf(page, two.slice(-8)).getByText("Has put it away").waitFor()
    await act(page, "Orders of all", "Delete")
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("No tool secret is given to all workspaces yet").waitFor()
    assert.isEmpty((await client.orgToolSecrets.listToolSecretTemplates()).items)
  })

  it("does not overwrite what somebody else has changed meanwhile, and says so", async () => {
    const { client, key } = await anOrganization(stage)
    const body = { name: "Orders", host_pattern: "api.example.com", header: "x-token", value: "a value 0123456789" }
    const { id } = await client.orgToolSecrets.createToolSecretTemplate({ body })
    const page = await openAs(key, "/organization/tool-secrets")
    await act(page, "Orders", "Change")
    await client.orgToolSecrets.updateToolSecretTemplate({ params: { template_id: id }, body: { name: "Theirs" } })
    await page.getByLabel("Name").fill("Mine")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("dialog").getByRole("alert").getByText("version 2").waitFor()
    await assertAccessible(page)
    const { name } = await client.orgToolSecrets.getToolSecretTemplate({ params: { template_id: id } })
    assert.strictEqual(name, "Theirs")
  })

  it("has names that are nothing but text, and addresses that lead to nothing", async () => {
    const { client, key } = await anOrganization(stage)
    const name = '<img src=x onerror="taken=1">\u202egnp.exe'
    const { id } = await client.orgAgentTemplates.createAgentTemplate({ body: { name, recipe: "demo" } })
    const page = await openAs(key, "/organization/agents")
    await rowOf(page, "onerror").getByText("of 2 workspaces").waitFor()
    await assertWithin(page)
    await page.getByRole("link", { name: "onerror" }).click()
    await page.getByRole("heading", { name: "onerror", level: 1 }).waitFor()
    await assertWithin(page)
    assert.strictEqual(await page.locator("main img").count(), 0)
    await client.orgAgentTemplates.deleteAgentTemplate({ params: { template_id: id } })
    await page.reload()
    await page.getByRole("alert").waitFor()
    await assertAccessible(page)
  })

  it("is refused to keys of workspaces, which are not led there", async () => {
    const { key } = await aPlace()
    const page = await openAs(key, "/organization/agents")
    await page.getByRole("alert").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "New agent for all" }).count(), 0)
  })
})
