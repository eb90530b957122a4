/** Agents: made, changed, tried, and set going from outside. */
import { assert, it } from "vitest"
import { ownAgent } from "./ownAgent.ts"
import { assertAccessible, assertFocusOn, describeScreen, faultOf } from "./pages.ts"

describeScreen("the agents", ({ aPlace, openAs }) => {
  it("are made, changed and tried", async () => {
    const { client, key } = await aPlace()
    const page = await openAs(key, "/agents")
    await page.getByRole("row").filter({ hasText: "Scripted" }).getByText("Active").waitFor()
    await assertAccessible(page)
    const name = page.getByRole("link", { name: "Scripted" })
    assert.notInclude(await name.evaluate((link) => getComputedStyle(link).fontFamily), "Mono")
    await page.getByRole("button", { name: "New agent" }).click()
    await page.getByLabel("Name").fill("Greeter")
    // The recipe that is shown is the one that is asked for, and it needs a model.
    assert.strictEqual(await page.getByLabel("Recipe").inputValue(), "chat")
    await page.getByRole("button", { name: "Create the agent" }).click()
    assert.match(await faultOf(page.getByLabel("Model")), /^Model .* provider\/model/)
    assert.strictEqual(await page.getByRole("alert").count(), 1)
    // The box that is at fault is the one to go on with, its label in sight. So it is for who sends the form by a key, elsewhere.
    await assertFocusOn(page.getByLabel("Model"))
    const form = page.getByRole("dialog", { name: "New agent" })
    await page.getByLabel("Name").focus()
    await form.evaluate((dialog) => dialog.scrollTo(0, dialog.scrollHeight))
    await page.keyboard.press("Enter")
    await assertFocusOn(page.getByLabel("Model"))
    const head = await form.locator("header").boundingBox()
    const label = await form.getByText("Model", { exact: true }).boundingBox()
    assert.isAtLeast(label?.y ?? Number.NaN, (head?.y ?? 0) + (head?.height ?? 0))
    // Nobody loses what was written without being asked.
    await page.keyboard.press("Escape")
    const discard = page.getByRole("alertdialog", { name: "Discard what was written?" })
    await assertAccessible(page)
    await discard.getByRole("button", { name: "Keep" }).click()
    await discard.waitFor({ state: "detached" })
    await page.mouse.click(5, 300)
    await discard.getByRole("button", { name: "Discard" }).click()
    await form.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "New agent" }).click()
    await form.waitFor()
    await page.keyboard.press("Escape")
    await form.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "New agent" }).click()
    await page.getByLabel("Name").fill("Greeter")
    await page.getByLabel("Recipe").fill("no such recipe")
    await page.getByRole("button", { name: "Create the agent" }).click()
    await faultOf(page.getByLabel("Recipe"))
    await assertAccessible(page)
    await page.getByLabel("Recipe").fill("demo")
    await page.getByRole("button", { name: "Create the agent" }).click()
    await page.getByRole("heading", { name: "Greeter", level: 1 }).waitFor()
    const agentId = new URL(page.url()).pathname.split("/").at(-1) ?? ""
    await assertAccessible(page)

    await page.getByLabel("Description").fill("Greets")
    await page.getByLabel("Other settings").fill("{")
    assert.isTrue(await page.getByRole("button", { name: "Save" }).isDisabled())
    await page.getByLabel("Other settings").fill('{"input_schema": {"type": "object"}}')
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" })
    await page.getByLabel("Other settings").fill('{"input_schema": {"type": "object"}, "temperature": 9}')
    await page.getByLabel("Most that a run may cost").fill("much")
    await page.getByRole("button", { name: "Save" }).click()
    assert.match(await faultOf(page.getByLabel("Other settings")), /^temperature/)
    assert.match(await faultOf(page.getByLabel("Most that a run may cost")), /^Most that a run may cost/)
    assert.strictEqual(await page.getByRole("alert").count(), 2)
    await assertAccessible(page)
    await page.getByRole("button", { name: "Undo" }).click()
    const saved = await client.agents.getAgent({ params: { agent_id: agentId } })
    assert.deepStrictEqual([saved.description, saved.input_schema], ["Greets", { type: "object" }])

    // Somebody else changes it: what is written here does not overwrite that unseen.
    await client.agents.updateAgent({ params: { agent_id: agentId }, body: { description: "Says hello" } })
    await page.getByLabel("Description").fill("Mine")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("form", { name: "Settings" }).getByRole("alert").getByText("About this problem").waitFor()
    assert.strictEqual((await client.agents.getAgent({ params: { agent_id: agentId } })).description, "Says hello")

    // Who leaves is asked first.
    const ask = page.getByRole("alertdialog", { name: "Leave without saving?" })
    await page.getByRole("link", { name: "Its runs" }).click()
    await ask.waitFor()
    await assertAccessible(page)
    await ask.getByRole("button", { name: "Keep" }).click()
    await ask.waitFor({ state: "detached" })
    assert.strictEqual(await page.getByLabel("Description").inputValue(), "Mine")

    // Text that is no JSON yet is said at its box, and cannot be sent.
    await page.getByLabel("Input, as JSON").fill("{nothing")
    await page.getByText("This is no JSON yet.").waitFor()
    assert.isTrue(await page.getByRole("button", { name: "Run", exact: true }).isDisabled())
    await page.getByLabel("Input, as JSON").fill('{"steps": [{"say": "Good day"}]}')
    assert.strictEqual(await page.getByText("This is no JSON yet.").count(), 0)
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await ask.waitFor()
    // Goes back as soon as the address is another, while the form that was left is still drawn: it has nothing to ask any more.
    await page.evaluate(() => {
      const { pushState } = history
      history.pushState = (...step) => {
        history.pushState = pushState
        history.pushState(...step)
        history.back()
      }
    })
    await ask.getByRole("button", { name: "Leave" }).click()
    await page.waitForURL("**/agents/*")
    await page.getByRole("button", { name: "A script that asks" }).waitFor()
    await page.goForward()
    const facts = page.getByRole("region", { name: "Facts" })
    await facts.or(ask).waitFor()
    // Asks again if it has kept what was written.
    if (await ask.isVisible()) await ask.getByRole("button", { name: "Leave" }).click()
    await facts.getByText("Good day").first().waitFor()

    // One that asks is tried without knowing how a script is written.
    await page.goBack()
    await page.getByRole("button", { name: "A script that asks" }).click()
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await page.getByRole("region", { name: "Reply" }).getByText("Shall I refund 40 USD?").waitFor()
  })

  it("have an inbound webhook, whose address is shown once and sets them going", async () => {
    const { agentId, client, key } = await aPlace()
    const page = await openAs(key, `/agents/${agentId}`)
    await page.getByRole("button", { name: "Make an address" }).click()
    await assertAccessible(page)
    await page.getByRole("button", { name: "Make the address" }).click()
    const url = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    assert.include(await page.getByRole("dialog").locator("pre").textContent(), url)
    await assertAccessible(page)
    await page.getByRole("button", { name: "Done" }).click()
    assert.notInclude(await page.content(), url)
    const answer = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ steps: [{ say: "From outside" }] })
    })
    assert.isTrue(answer.ok, String(answer.status))
    await page.getByText(/the last request came now\.$/).waitFor()
    await page.getByRole("link", { name: "Its runs" }).click()
    await page.getByRole("table", { name: "Runs" }).getByText("Succeeded").waitFor()
    await page.getByRole("table", { name: "Runs" }).getByRole("row").last().getByRole("link").click()
    const facts = page.getByRole("region", { name: "Facts" })
    await facts.getByText(/, by its inbound webhook$/).waitFor()
    await facts.getByText('"say": "From outside"').waitFor()
    await page.goBack()
    await page.goBack()
    await page.getByRole("button", { name: "Switch off" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Switch off" }).click()
    await page.getByRole("button", { name: "Make an address" }).waitFor()
    assert.isFalse((await client.agents.getAgent({ params: { agent_id: agentId } })).webhook?.active ?? false)
    await page.getByRole("button", { name: "Archive" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Archive" }).click()
    await page.getByRole("form", { name: "Try it" }).waitFor({ state: "detached" })
  })

  it("keep their earlier versions, with who made them, and take one up again", async () => {
    const { agentId, client, key } = await aPlace()
    const params = { agent_id: agentId }
    await client.agents.updateAgent({ params, body: { instructions: "Be brief.", temperature: 0.5 } })
    await client.agents.updateAgent({ params, body: { instructions: "Be long.", name: "Talker" } })
    const page = await openAs(key, `/agents/${agentId}`)
    const versions = page.getByRole("region", { name: "Versions" })
    await versions.getByText("name, instructions, by Tests").waitFor()
    await versions.getByText("Created, by Tests").waitFor()
    assert.deepStrictEqual(await versions.getByText(/^Version \d$/).allInnerTexts(), [
      "Version 3",
      "Version 2",
      "Version 1"
    ])
    await assertAccessible(page)

    // The first one has nothing to differ from: all that it says is shown.
    await versions.getByRole("button", { name: "Look at version 1" }).click()
    const first = page.getByRole("dialog", { name: "Version 1" }).getByRole("region", { name: "Its settings" })
    await first.getByText("Scripted", { exact: true }).waitFor()
    await first.getByText("demo", { exact: true }).waitFor()
    await page.keyboard.press("Escape")

    await versions.getByRole("button", { name: "Look at version 2" }).click()
    const dialog = page.getByRole("dialog", { name: "Version 2" })
    await dialog.getByText("Be brief.").waitFor()
    await dialog.getByText("Tests changed the agent").waitFor()
    const others = dialog.getByRole("region", { name: "Its other settings" })
    await others.getByText("Scripted", { exact: true }).waitFor()
    assert.strictEqual(await others.getByText("Be brief.").count(), 0)
    await assertAccessible(page)
    await dialog.getByRole("button", { name: "Take it up again" }).click()
    await versions.getByText("Version 4", { exact: true }).waitFor()
    const taken = await client.agents.getAgent({ params })
    assert.deepInclude(taken, { name: "Scripted", instructions: "Be brief.", temperature: 0.5, version: 4 })

    // The present one has nothing to be taken up.
    await versions.getByRole("button", { name: "Look at version 4" }).click()
    await page.getByRole("dialog", { name: "Version 4" }).getByText("Be long.").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Take it up again" }).count(), 0)
    await page.keyboard.press("Escape")

    await page.getByRole("link", { name: "Its activity" }).click()
    const table = page.getByRole("table", { name: "Activity" })
    await table.getByRole("link", { name: "agent.created" }).waitFor()
    assert.strictEqual(await table.getByRole("link", { name: "agent.updated" }).count(), 3)
    assert.strictEqual(await table.getByRole("link", { name: "api_key.created" }).count(), 0)
    await assertAccessible(page)
    await page.getByRole("button", { name: `Of ${agentId.slice(-8)} alone` }).click()
    await table.getByRole("link", { name: "api_key.created" }).first().waitFor()
  })

  it("of one's own have a secret that is rotated, and one that follows another address", async () => {
    const place = await aPlace()
    const { client, key } = place
    const first = await ownAgent(place)
    const params = { agent_id: first.agentId }
    const before = await client.agents.getAgent({ params })
    const elsewhere = `${before.endpoint?.url}/elsewhere`
    await client.agents.updateAgent({ params, body: { endpoint: { url: elsewhere } } })
    const page = await openAs(key, `/agents/${first.agentId}`)
    await page.getByRole("region", { name: "Secret of the endpoint" }).getByRole("button", { name: "Rotate" }).click()
    await assertAccessible(page)
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click()
    const secret = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    assert.isNotEmpty(secret)
    await page.getByRole("button", { name: "Done" }).click()
    const versions = page.getByRole("region", { name: "Versions" })
    await versions.getByText("A secret, by Tests").waitFor()
    assert.notInclude(await page.content(), secret)
    await versions.getByRole("button", { name: "Look at version 1" }).click()
    await page.getByRole("button", { name: "Take it up again" }).click()
    const next = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    assert.notInclude(["", secret], next)
    await page.getByRole("button", { name: "Done" }).click()
    await versions.getByText("Version 4", { exact: true }).waitFor()
    assert.strictEqual((await client.agents.getAgent({ params })).endpoint?.url, before.endpoint?.url)
  })

  it("are to be read alone by whom it is not allowed to change them", async () => {
    const { agentId, key } = await aPlace(["agents:read"])
    const page = await openAs(key, `/agents/${agentId}`)
    await page.getByLabel("Name").waitFor()
    assert.isTrue(await page.getByLabel("Name").isDisabled())
    const actions = page.getByRole("button", { name: /^(Save|Run|Archive|Make an address)$/ })
    assert.strictEqual(await actions.count(), 0)
    // Who did what is another right.
    await page.getByRole("region", { name: "Versions" }).getByText("Created", { exact: true }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "Its activity" }).count(), 0)
  })
})
