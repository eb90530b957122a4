/** Pages in the browser for the tests, each with its faults collected. */
import { type AgentPlatformClient, createClient } from "@agent-platform/client"
import { type Browser, chromium, type Locator, type Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, inject, onTestFinished } from "vitest"
import type { Stage } from "./stage.ts"

export { assertAccessible, assertWithin } from "./accessible.ts"

export type Scheme = "light" | "dark"

/** A workspace with nothing in it, for one test alone. */
export interface Place {
  readonly client: AgentPlatformClient
  readonly key: string
  readonly workspaceId: string
  /** An agent that is scripted by its input. */
  readonly agentId: string
}

/** The means of a test of a screen. */
export interface Tools {
  readonly stage: Stage
  readonly baseUrl: () => string
  /** A key of the organization that all tests share. */
  readonly organizationKey: () => string
  readonly aPlace: (scopes?: ReadonlyArray<"runs:read" | "agents:read">) => Promise<Place>
  /** A page that nobody has signed in to. It fails its test where the page throws or breaks its policy. */
  readonly open: (path: string, scheme?: Scheme) => Promise<Page>
  /** A page at this path, signed in with a key that was pasted. */
  readonly openAs: (key: string, path: string, scheme?: Scheme) => Promise<Page>
}

/** Signs in on a page that shows the login. */
export const signIn = async (page: Page, key: string): Promise<void> => {
  await page.getByLabel("API key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
}

/** Waits until this has the focus: a dialog gives it away once it is drawn. */
export const assertFocusOn = async (target: Locator): Promise<void> =>
  target.and(target.page().locator(":focus")).waitFor()

/** Waits until a box of a form says what is wrong with what was written in it, and answers that. */
export const faultOf = async (box: Locator): Promise<string> => {
  const page = box.page()
  const ids = (await box.and(page.locator("[aria-invalid=true]")).getAttribute("aria-describedby")) ?? ""
  return (await page.locator(`[id="${ids.split(" ").at(-1)}"]`).textContent()) ?? ""
}

const watch = (page: Page): ReadonlyArray<string> => {
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(error.stack ?? error.message))
  page.on("console", (message) => {
    // The browser itself notes every answer that is an error; those are the screens' to show.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) faults.push(message.text())
  })
  return faults
}

/** Declares tests of a screen. They are skipped where there is no browser. */
export const describeScreen = (name: string, tests: (tools: Tools) => void): void => {
  const stage = inject("dashboard")
  // No browser of this machine can be started: the name of each suite says so, and the start of the run.
  describe.skipIf(stage === null)(stage === null ? `${name}, which needs a Chromium` : name, () => {
    if (stage === null) return
    let browser: Browser
    beforeAll(async () => {
      browser = await chromium.connect(stage.browser)
    })
    afterAll(() => browser.close())
    const open: Tools["open"] = async (path, scheme = "light") => {
      const context = await browser.newContext({
        baseURL: stage.baseUrl,
        // Without it the browser has no locale where the machine has none.
        locale: "en-US",
        timezoneId: "UTC",
        colorScheme: scheme,
        reducedMotion: "reduce",
        permissions: ["clipboard-read", "clipboard-write"]
      })
      const page = await context.newPage()
      const faults = watch(page)
      onTestFinished(async () => {
        await context.close()
        assert.deepStrictEqual(faults, [])
      })
      await page.goto(path)
      return page
    }
    tests({
      stage,
      baseUrl: () => stage.baseUrl,
      organizationKey: () => stage.orgKey,
      aPlace: async (scopes) => {
        const organization = createClient({ baseUrl: stage.baseUrl, apiKey: stage.orgKey })
        const { id } = await organization.workspaces.createWorkspace({ body: { name: "Tests" } })
        const made = createClient({ baseUrl: stage.baseUrl, apiKey: stage.orgKey, workspaceId: id })
        const whole = (await made.auth.createApiKey({ body: { name: "Tests" } })).key ?? ""
        const client = createClient({ baseUrl: stage.baseUrl, apiKey: whole })
        const key = scopes && (await client.auth.createApiKey({ body: { name: "Reader", scopes } })).key
        const agent = await client.agents.createAgent({ body: { name: "Scripted", recipe: "demo" } })
        return { client, key: key ?? whole, workspaceId: id, agentId: agent.agent_id }
      },
      open,
      openAs: async (key, path, scheme) => {
        const page = await open(path, scheme)
        await signIn(page, key)
        return page
      }
    })
  })
}
