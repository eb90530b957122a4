/** People who log in through identity providers: the browser holds a cookie, and the page lists and ends logins. */
import { createClient } from "@agent-platform/client"
import type { Page } from "playwright-core"
import { afterAll, assert, it } from "vitest"
import { startProvider, type TestProvider } from "../../../packages/oauth/test/support/TestProvider.ts"
import { useOwnApi } from "./ownApi.ts"
import { assertAccessible, describeScreen } from "./pages.ts"

describeScreen("logins", ({ aPlace, open, stage }) => {
  const providers: Partial<Record<"google" | "github", TestProvider>> = {}
  const api = useOwnApi(stage, async (url) => {
    const startOf = (name: "google" | "github") => startProvider(name, [`${url}/api/v1/auth/oauth/${name}/callback`])
    const [google, github] = await Promise.all([startOf("google"), startOf("github")])
    Object.assign(providers, { google, github })
    return {
      OAUTH_GOOGLE_CLIENT_ID: google.clientId,
      OAUTH_GOOGLE_CLIENT_SECRET: google.clientSecret,
      OAUTH_GOOGLE_ISSUER: google.url,
      OAUTH_GITHUB_CLIENT_ID: github.clientId,
      OAUTH_GITHUB_CLIENT_SECRET: github.clientSecret,
      OAUTH_GITHUB_URL: github.url,
      OAUTH_GITHUB_API_URL: github.url
    }
  })
  afterAll(() => Promise.all(Object.values(providers).map((provider) => provider.close())))

  const logIn = async (label: string, path: string): Promise<Page> => {
    const page = await open(api.url() + path)
    await page.getByRole("link", { name: `Sign in with ${label}` }).click()
    await page.getByRole("button", { name: "Signed in as" }).waitFor()
    return page
  }

  /** Who logs in next at this provider. */
  const expect = (name: "google" | "github", person: { readonly id: string; readonly email: string }) => {
    const provider = providers[name]
    if (provider === undefined) throw new Error("The provider has not been started")
    provider.behaviour.person = { ...person, verified: true, name: "Ada" }
  }

  it.each([
    { name: "google", label: "Google", id: "90471" },
    { name: "github", label: "GitHub", id: "90472" }
  ] as const)("by $label lead back, are listed, and can be ended", async ({ id, label, name }) => {
    const email = `own-logins-${name}@example.com`
    const organization = createClient({ baseUrl: stage.baseUrl, apiKey: stage.orgKey })
    await organization.members.inviteMember({ body: { email, organization_role: "admin", workspaces: [] } })
    expect(name, { id, email })

    const page = await logIn(label, "/usage?month=2026-01")
    assert.strictEqual(page.url(), `${api.url()}/usage?month=2026-01`)
    // Nothing that a script could read, and take elsewhere.
    const readable = await page.evaluate(() => [
      document.cookie,
      JSON.stringify({ ...sessionStorage, ...localStorage })
    ])
    assert.deepStrictEqual(readable, ["", "{}"])
    const other = await logIn(label, "/activity")

    await page.getByRole("button", { name: "Signed in as" }).click()
    await page.getByRole("menuitem", { name: "Your logins" }).click()
    const rows = page.getByRole("row").filter({ hasText: label })
    await rows.nth(1).waitFor()
    assert.strictEqual(await rows.filter({ hasText: "This one" }).count(), 1)
    await assertAccessible(page)

    // A page of another site could send the cookie along, and knows no token.
    const refused = await page.evaluate(async () => (await fetch("/api/v1/auth/logout", { method: "POST" })).status)
    assert.strictEqual(refused, 403)

    const end = async (row: ReturnType<Page["getByRole"]>) => {
      await row.getByRole("button", { name: "End" }).click()
      await page.getByRole("button", { name: "End it" }).click()
    }
    await end(rows.filter({ hasNotText: "This one" }))
    await rows.nth(1).waitFor({ state: "detached" })
    await other.reload()
    await other.getByLabel("API key").waitFor()
    await end(rows.first())
    await page.getByLabel("API key").waitFor()
  })

  it("of an owner erase a run, once it was counted what goes", async () => {
    const { agentId, client, workspaceId } = await aPlace()
    const { run_id } = await client.runs.triggerRun({ body: { agent_id: agentId, message: "Hello", wait_seconds: 30 } })
    const organization = createClient({ baseUrl: stage.baseUrl, apiKey: stage.orgKey })
    const email = "own-erasures@example.com"
    await organization.members.inviteMember({ body: { email, organization_role: "owner", workspaces: [] } })
    expect("google", { id: "90473", email })

    const page = await logIn("Google", "/activity")
    await page.evaluate((id) => sessionStorage.setItem("agent-platform.workspace", id), workspaceId)
    await page.goto(`${api.url()}/runs/${run_id}`)
    await page.getByRole("button", { name: "Erase" }).click()
    await page.getByRole("table", { name: "Goes for good" }).getByRole("row", { name: "runs 1" }).waitFor()
    await assertAccessible(page)
    await page.getByRole("button", { name: "Keep" }).click()
    assert.strictEqual((await client.runs.getRun({ params: { run_id } })).status, "succeeded")
    await page.getByRole("button", { name: "Erase" }).click()
    await page.getByRole("button", { name: "Erase for good" }).click()
    await page.getByText("Nothing of it is left.").waitFor()
    await page.getByRole("button", { name: "Close" }).last().click()
    await page.getByText("Nothing has run here yet").waitFor()
    const asked = await client.runs
      .getRun({ params: { run_id } })
      .catch(({ status }: { readonly status: number }) => status)
    assert.strictEqual(asked, 404)
  })
})
