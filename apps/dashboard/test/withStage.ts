/** The stage of the tests for commands: one platform by `npm start`, and one browser. */
import { createClient } from "@agent-platform/client"
import { type Browser, type BrowserContext, chromium } from "playwright-core"
import { launchBrowser } from "./chromium.ts"
import { type Stage, startPlatform } from "./stage.ts"

/** A stage with a workspace for the command alone. */
export interface OpenStage {
  readonly stage: Omit<Stage, "browser">
  readonly browser: Browser
  readonly key: string
  /** An agent that is scripted by its input. */
  readonly agentId: string
  readonly workspaceId: string
}

/** A browser without a past, signed in with this key. */
export const contextOf = async (
  browser: Browser,
  { baseUrl }: Pick<Stage, "baseUrl">,
  { colorScheme = "light", key }: { readonly key: string; readonly colorScheme?: "light" | "dark" }
): Promise<BrowserContext> => {
  const context = await browser.newContext({
    baseURL: baseUrl,
    locale: "en-US",
    timezoneId: "UTC",
    colorScheme,
    reducedMotion: "reduce",
    viewport: { width: 1120, height: 680 }
  })
  // As a key that was pasted is kept.
  await context.addInitScript((value) => sessionStorage.setItem("agent-platform.key", value), key)
  return context
}

/** Runs a command over a stage, and takes that down whatever comes of it. */
export const withStage = async (use: (stage: OpenStage) => Promise<void>): Promise<void> => {
  const server = await launchBrowser()
  if (server === undefined) {
    process.stderr.write("There is no browser. Set CHROMIUM_PATH to a Chromium.\n")
    process.exitCode = 1
    return
  }
  const platform = await startPlatform()
  try {
    const { stage } = platform
    const organization = createClient({ baseUrl: stage.baseUrl, apiKey: stage.orgKey })
    const { id } = await organization.workspaces.createWorkspace({ body: { name: "Support" } })
    const inside = createClient({ baseUrl: stage.baseUrl, apiKey: stage.orgKey, workspaceId: id })
    const { key } = await inside.auth.createApiKey({ body: { name: "Dashboard" } })
    const agent = await inside.agents.createAgent({ body: { name: "Greeter", recipe: "demo" } })
    const browser = await chromium.connect(server.wsEndpoint())
    await use({ stage, browser, key: key ?? "", agentId: agent.agent_id, workspaceId: id })
  } finally {
    await server.close()
    await platform.stop()
  }
}
