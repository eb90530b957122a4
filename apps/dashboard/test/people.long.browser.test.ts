/** People who have logged in, each in a role: what they see, what they do not, and what they are told where the API refuses. */
import { createClient } from "@agent-platform/client"
import type { Page } from "playwright-core"
import { afterAll, assert, it } from "vitest"
import { startProvider, type TestProvider } from "../../../packages/oauth/test/support/TestProvider.ts"
import { useOwnApi } from "./ownApi.ts"
import { assertAccessible, describeScreen } from "./pages.ts"

const ROLES = ["owner", "admin", "member", "viewer"] as const
type Role = (typeof ROLES)[number]

const EVERYBODY = ROLES
const WRITERS: ReadonlyArray<Role> = ["owner", "admin", "member"]
const OWNERS: ReadonlyArray<Role> = ["owner"]
const MANAGERS: ReadonlyArray<Role> = ["owner", "admin"]

/** Who finds which screen in the navigation. */
const PLACES: Readonly<Record<string, ReadonlyArray<Role>>> = {
  Runs: EVERYBODY,
  Sessions: EVERYBODY,
  Usage: EVERYBODY,
  Agents: EVERYBODY,
  Schedules: EVERYBODY,
  Keys: EVERYBODY,
  Webhooks: MANAGERS,
  Activity: EVERYBODY,
  Organization: MANAGERS
}

/** A screen, a text by which it is there, and who is offered which of its actions. */
type Offer = readonly [path: string, shows: string | RegExp, actions: Readonly<Record<string, ReadonlyArray<Role>>>]

const offersOf = (ids: { readonly run: string; readonly session: string; readonly agent: string }) =>
  [
    ["/runs", ids.run.slice(-8), {}],
    [`/runs/${ids.run}`, "Shall I?", { Reply: WRITERS, "Close the question": WRITERS, "Signed record": EVERYBODY }],
    ["/sessions", ids.session.slice(-8), {}],
    [`/sessions/${ids.session}`, "Shall I?", { Reply: WRITERS, "Close the question": WRITERS }],
    ["/usage", /^Cost in/, { CSV: EVERYBODY }],
    ["/activity?about=none", "Nothing that was done", {}],
    ["/agents", "Scripted", { "New agent": WRITERS }],
    [`/agents/${ids.agent}`, "Instructions", { Run: WRITERS, Archive: WRITERS, "Make an address": WRITERS }],
    ["/keys/tools", "no tool secret yet", { "Add a tool secret": MANAGERS }],
    ["/schedules", "Hourly", { "New schedule": WRITERS, "Actions for Hourly": WRITERS }],
    ["/keys", "Tests", { "New key": MANAGERS, "Actions for Tests": MANAGERS, "Revoke all but this page's": OWNERS }],
    ["/keys/providers", "no provider key yet", { "Add a provider key": MANAGERS }],
    ["/activity", "agent.created", {}]
  ] as const satisfies ReadonlyArray<Offer>

/** Those that are for who manages the organization alone; to others their addresses answer with a refusal. */
const OF_MANAGERS: ReadonlyArray<Offer> = [
  ["/webhooks", "Webhooks", { "New endpoint": MANAGERS }],
  ["/organization", "@example.com", { Invite: MANAGERS }],
  ["/organization/workspaces", "Workspaces", { "New workspace": MANAGERS }],
  ["/keys/organization", "Keys", { "New key": MANAGERS }],
  ["/organization/agents", "No agent is given", { "New agent for all": MANAGERS }],
  ["/organization/provider-keys", "No provider key is given", { "Add a key for all": MANAGERS }],
  ["/organization/tool-secrets", "No tool secret is given", { "Add a secret for all": MANAGERS }],
  ["/usage/organization", /^Cost in/, { CSV: MANAGERS }]
]

/** Goes to a screen as a link does: what the page has read stays. */
const visit = async (page: Page, path: string) => {
  await page.evaluate((to) => {
    history.pushState({}, "", to)
    dispatchEvent(new PopStateEvent("popstate"))
  }, path)
}

describeScreen("people", ({ aPlace, open, organizationKey, stage }) => {
  let provider: TestProvider
  const api = useOwnApi(stage, async (url) => {
    provider = await startProvider("google", [`${url}/api/v1/auth/oauth/google/callback`])
    return {
      OAUTH_GOOGLE_ISSUER: provider.url,
      OAUTH_GOOGLE_CLIENT_ID: provider.clientId,
      OAUTH_GOOGLE_CLIENT_SECRET: provider.clientSecret
    }
  })
  afterAll(() => provider.close())
  const organization = () => createClient({ baseUrl: stage.baseUrl, apiKey: organizationKey() })

  const invite = (email: string, role: Role, workspaceId: string) =>
    organization().members.inviteMember({
      body:
        role === "owner" || role === "admin"
          ? { email, organization_role: role }
          : { email, workspaces: [{ workspace_id: workspaceId, role }] }
    })

  /** A page of somebody who was invited and has logged in. */
  const aPerson = async (role: Role, workspaceId: string) => {
    const id = crypto.randomUUID()
    const email = `${role}-${id}@example.com`
    await invite(email, role, workspaceId)
    provider.behaviour.person = { id, email, verified: true, name: `The ${role}` }
    const page = await open(`${api.url()}/runs`)
    await page.getByRole("link", { name: "Sign in with Google" }).click()
    await page.getByRole("button", { name: "Signed in as" }).getByText(`The ${role}`).waitFor()
    return { page, email }
  }

  const inWorkspace = async (page: Page, workspaceId: string) => {
    await page.evaluate((id) => sessionStorage.setItem("agent-platform.workspace", id), workspaceId)
    await page.reload()
  }

  // An admin finds what an owner does, but for what the next test looks at.
  it.each(["owner", "member", "viewer"] as const)(
    "as %s find every screen with what their role may do, and nothing else",
    async (role) => {
      const { agentId, client, workspaceId } = await aPlace()
      const input = { steps: [{ ask: "Shall I?" }] }
      const { run_id, session_id } = await client.runs.triggerRun({
        body: { agent_id: agentId, input, wait_seconds: 30 }
      })
      await client.schedules.createSchedule({ body: { agent_id: agentId, name: "Hourly", cron: "0 * * * *" } })
      const { page } = await aPerson(role, workspaceId)
      await inWorkspace(page, workspaceId)
      await page
        .getByRole("row")
        .filter({ hasText: run_id.slice(-8) })
        .waitFor()

      const places = await page.getByRole("navigation").first().getByRole("link").allInnerTexts()
      const wanted = Object.entries(PLACES).flatMap(([place, roles]) => (roles.includes(role) ? [place] : []))
      assert.sameMembers(places, wanted)

      const mayManage = MANAGERS.includes(role)
      const main = page.getByRole("main")
      const offers = [
        ...offersOf({ run: run_id, session: session_id, agent: agentId }),
        ...(mayManage ? OF_MANAGERS : [])
      ]
      for (const [path, shows, actions] of offers) {
        await visit(page, path)
        await main.getByText(shows).first().waitFor()
        for (const [name, roles] of Object.entries(actions)) {
          const button = main.getByRole("button", { name, exact: true })
          if (roles.includes(role)) await button.first().waitFor()
          else assert.strictEqual(await button.count(), 0, `${role} is offered ${name} at ${path}`)
        }
      }
      for (const [path] of mayManage ? [] : OF_MANAGERS) {
        await visit(page, path)
        await main.getByRole("alert").first().getByText("scope").first().waitFor()
        const writes = main.getByRole("button", { name: /^(New|Invite|Add)/ })
        assert.strictEqual(await writes.count(), 0, `${role} is offered something at ${path}`)
      }
    }
  )

  it("are told in words what the API refuses, where a role was taken from them meanwhile", async () => {
    const { agentId, client, workspaceId } = await aPlace()
    const { email, page } = await aPerson("member", workspaceId)
    await visit(page, `/agents/${agentId}`)
    await page.getByLabel("Description").fill("Mine")
    const { id } = await invite(email, "viewer", workspaceId)
    await page.getByRole("button", { name: "Save" }).click()
    const alert = page.getByRole("form", { name: "Settings" }).getByRole("alert")
    await alert.getByText("agents:write").waitFor()
    await assertAccessible(page)
    assert.isNull((await client.agents.getAgent({ params: { agent_id: agentId } })).description)

    // An admin makes no owners, and is not offered to.
    const admin = await aPerson("admin", workspaceId)
    await visit(admin.page, "/organization")
    await admin.page.getByRole("button", { name: "Invite" }).click()
    await admin.page.getByRole("button", { name: "In the organization" }).click()
    await admin.page.getByRole("menuitemradio", { name: "Admin of all" }).waitFor()
    assert.strictEqual(await admin.page.getByRole("menuitemradio", { name: "Owner" }).count(), 0)
    await admin.page.keyboard.press("Escape")

    // Who is removed finds the login at the next thing they do.
    await organization().members.removeMember({ params: { member_id: id } })
    await visit(page, "/schedules")
    await page.getByRole("link", { name: "Sign in with Google" }).waitFor()
  })
})
