/** An organization of a test's own: what it gives all of its workspaces would come to those of other tests. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { createClient } from "@agent-platform/client"
import { appBundle } from "../../../infra/local/appBundles.ts"
import type { Stage } from "./stage.ts"

/** Makes one with two workspaces, `One` and `Two`. */
export const anOrganization = async (stage: Stage) => {
  const { environment, main } = await appBundle("admin")
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [main, "bootstrap", "--organization", "Umbrella", "--workspace", "One"],
    {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: stage.databaseUrl,
        SECRETS_KEY: stage.secretsKey,
        LOG_LEVEL: "warn",
        ...environment
      }
    }
  )
  const { org_key: key, workspace_id: one } = JSON.parse(stdout)
  const client = createClient({ baseUrl: stage.baseUrl, apiKey: String(key) })
  const { id: two } = await client.workspaces.createWorkspace({ body: { name: "Two" } })
  const inside = (workspaceId: string) => createClient({ baseUrl: stage.baseUrl, apiKey: String(key), workspaceId })
  return { key: String(key), client, one: String(one), two, inside }
}
