/** Members, invitations and workspaces with their caps. */
import { assert, it } from "vitest"
import { anOrganization } from "./ownOrganization.ts"
import { assertAccessible, describeScreen, signIn } from "./pages.ts"

describeScreen("the organization", ({ aPlace, open, openAs, organizationKey, stage }) => {
  it("invites, changes and removes members", async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const page = await openAs(organizationKey(), "/organization")
    await page.getByRole("button", { name: "Invite", exact: true }).click()
    // Nobody could log in here, and the stage has several workspaces: both are said.
    const dialog = page.getByRole("dialog")
    await dialog.getByText("No login provider is set up here").waitFor()
    await dialog.getByText("Choose a role in a workspace or in the organization").waitFor()
    const [email_, role] = await Promise.all(
      [page.getByLabel("Email"), page.getByRole("button", { name: "In the organization" })].map((box) =>
        box.boundingBox()
      )
    )
    assert.strictEqual(role?.width, email_?.width)
    await page.getByLabel("Email").fill(email)
    await page.getByRole("button", { name: "In the organization Some workspaces" }).click()
    await page.getByRole("menuitemradio", { name: "Admin of all" }).click()
    await assertAccessible(page)
    await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click()
    const row = page.getByRole("row").filter({ hasText: email })
    await row.getByText("Invited").waitFor()
    await row.getByText("admin").waitFor()
    await assertAccessible(page)
    await row.getByRole("button", { name: `Actions for ${email}` }).click()
    await page.getByRole("menuitem", { name: "Take the invitation back" }).click()
    await assertAccessible(page)
    await page.getByRole("button", { name: "Remove", exact: true }).click()
    await row.waitFor({ state: "detached" })
  })

  it("makes workspaces and sets their caps", async () => {
    const name = `Team ${crypto.randomUUID()}`
    const page = await openAs(organizationKey(), "/organization/workspaces")
    await page.getByRole("button", { name: "New workspace" }).click()
    await page.getByLabel("Name").fill(name)
    await page.getByLabel("Cap of a month").fill("much")
    await page.getByRole("button", { name: "Create the workspace" }).click()
    await page.getByRole("dialog").getByRole("alert").waitFor()
    await assertAccessible(page)
    await page.getByLabel("Cap of a month").fill("25.50")
    await page.getByRole("button", { name: "Create the workspace" }).click()
    const row = page.getByRole("row").filter({ hasText: name })
    await row.getByText("25.5").waitFor()
    await page.getByRole("button", { name: "Workspace" }).first().click()
    await page.getByRole("menuitem", { name }).waitFor()
    await page.keyboard.press("Escape")
    await assertAccessible(page)
    await row.getByRole("button", { name: `Actions for ${name}` }).click()
    await page.getByRole("menuitem", { name: "Change" }).click()
    await page.getByLabel("Cap of a month").fill("")
    await page.getByRole("button", { name: "Save" }).click()
    await row.getByText("none").waitFor()
  })

  it("makes its first workspace by hand", async () => {
    const { key } = await anOrganization(stage)
    const page = await open("/runs")
    const listed = "**/api/v1/auth/workspaces*"
    // As where all that there were have been erased.
    await page.route(listed, (route) => route.fulfill({ json: { items: [], next_cursor: null } }))
    await signIn(page, key)
    await page.getByText("has no workspace yet").waitFor()
    await assertAccessible(page)
    await page.getByRole("link", { name: "Make one" }).click()
    await page.getByRole("button", { name: "New workspace" }).click()
    await page.getByLabel("Name").fill("The first")
    await page.unroute(listed)
    await page.getByRole("button", { name: "Create the workspace" }).click()
    await page.getByRole("button", { name: "Workspace" }).getByText("The first").waitFor()
    await page.getByRole("link", { name: "Runs" }).click()
    await page.getByText("Nothing has run here yet").waitFor()
  })

  it("is not shown to a key of a workspace, and answers its address with a refusal", async () => {
    const { key } = await aPlace()
    const page = await openAs(key, "/organization")
    await page.getByRole("alert").waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "Organization" }).count(), 0)
  })
})
