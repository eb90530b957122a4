/** An API of a suite's own beside that of `npm start`, over the same database: it can be killed, and set up differently. */
import { afterAll, beforeAll } from "vitest"
import { startApi } from "../../../infra/system/harness.ts"
import type { Stage } from "./stage.ts"

/** The API of a suite. */
export interface OwnApi {
  readonly url: () => string
  /** Ends it at once, as a crash would. */
  readonly kill: () => Promise<void>
  /** Starts it again at the same address. */
  readonly restart: () => Promise<void>
}

/** Starts it for the tests of this suite. `environment` may follow from the address that it will have. */
export const useOwnApi = (
  stage: Stage,
  environment: (url: string) => Promise<Readonly<Record<string, string>>> = async () => ({})
): OwnApi => {
  let api: Awaited<ReturnType<typeof startApi>>
  // Browsers take a session's cookie without TLS from this name.
  const urlOf = (port: number) => `http://localhost:${port}`
  beforeAll(async () => {
    api = await startApi(stage.databaseUrl, async (port) => ({
      SECRETS_KEY: stage.secretsKey,
      BASE_URL: urlOf(port),
      ...(await environment(urlOf(port)))
    }))
  })
  afterAll(() => api.stop())
  return { url: () => urlOf(api.port), kill: () => api.kill(), restart: () => api.restart() }
}
