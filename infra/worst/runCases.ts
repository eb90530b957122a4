/** Runs whose cost is somebody's answer: how they are triggered, and how they ended. */
import type { Case } from "./cases.ts"
import type { Platform } from "./platform.ts"
import { jsonOf } from "./send.ts"
import { makeTester, type Tester } from "./tester.ts"

/** Members of a run's body that let its answer come when the run is over. */
const WAITING = { message: "Go", wait_seconds: 60, max_duration_seconds: 120 }

/** Triggers a run and waits for its end. */
export const runOf = async (tester: Tester, agentId: string, body: object = {}) => {
  const answered = await tester.ask("POST", "/api/v1/runs/", JSON.stringify({ ...WAITING, agent_id: agentId, ...body }))
  const { error, error_code, paused, run_id, session_id, status } = jsonOf(answered)
  const ending = answered.status >= 300 ? String(answered.status) : `${paused === true ? "paused" : status}`
  return {
    runId: String(run_id),
    sessionId: String(session_id),
    outcome: error_code == null ? ending : `${ending} ${error_code}`,
    error: String(error)
  }
}

/** An agent whose runs are executed by the server at this URL. */
export const httpAgent = async (tester: Tester, url: string): Promise<string> => {
  const { agent_id } = await tester.make("POST", "/api/v1/agents", {
    name: "Stranger",
    recipe: "http",
    endpoint: { url }
  })
  return String(agent_id)
}

/** An agent that chats with the model at this URL. */
export const chatAgent = async (tester: Tester, url: string, settings: object = {}): Promise<string> => {
  const key = { key: "sk-measured-0123456789", base_url: url, validate: false }
  await tester.make("POST", "/api/v1/byok/openai_compatible", key)
  const body = { name: "Stranger", recipe: "chat", model: "openai_compatible/small", ...settings }
  return String((await tester.make("POST", "/api/v1/agents", body)).agent_id)
}

/** Gives the agent a server of tools on loopback: by SQL, since the API takes no such URL. */
export const giveTools = async (platform: Platform, agentId: string, url: string): Promise<void> => {
  const servers = JSON.stringify([{ name: "tools", url, sealedHeaders: null }])
  await platform.query("update agent_platform.agent set mcp_servers = $1::jsonb where id = $2", servers, agentId)
}

/**
 * Makes cases, each of which is a run of the one agent that they share. It is made when the first of them is prepared. `ready` is told
 * the size before each run, so that the stranger's answer has it.
 */
export const runCases = (
  platform: Platform,
  makeAgent: (tester: Tester) => Promise<string>
): ((row: Pick<Case, "endpoint" | "member" | "sizes">, ready: (size: number) => void) => Case) => {
  let staged: Promise<{ readonly tester: Tester; readonly agentId: string }> | undefined
  const stage = async () => {
    const tester = await makeTester(platform)
    return { tester, agentId: await makeAgent(tester) }
  }
  return (row, ready) => ({
    ...row,
    prepare: async (size) => {
      staged ??= stage()
      const { agentId, tester } = await staged
      ready(size)
      return async () => (await runOf(tester, agentId)).outcome
    }
  })
}
