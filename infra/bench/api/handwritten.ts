/** The common part of the hand-written servers: a pool, prepared statements, and plain JSON. */
import { createHash, randomUUID } from "node:crypto"
import { Pool, type PoolClient } from "pg"
import { FIND_KEY, FIND_RUN, INSERT_EVENT, INSERT_JOB, INSERT_RUN } from "./statements.ts"

/** As many connections as the API opens by default. */
const CONNECTIONS = 10

interface KeyRow {
  readonly organization_id: string
  readonly workspace_id: string
  readonly scopes: ReadonlyArray<string>
  readonly disabled: boolean
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

/** An answer: its status and its body. */
export interface Reply {
  readonly status: number
  readonly body: unknown
}

/** The body that triggers a run. */
export interface NewRun {
  readonly agent_id: string
  readonly input?: unknown
}

const refused: Reply = { status: 401, body: { code: "invalid_credential" } }
const forbidden: Reply = { status: 403, body: { code: "insufficient_scope" } }
const notFound: Reply = { status: 404, body: { code: "not_found" } }

const isGood = (key: KeyRow) =>
  !key.disabled && key.revoked_at === null && (key.expires_at === null || key.expires_at.getTime() > Date.now())

const runView = (row: Readonly<Record<string, unknown>>) => {
  const { id, trigger_type, trigger_id, requests, ...rest } = row
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, ...shown } = rest
  const tokens = { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens }
  const counts = Object.fromEntries(Object.entries(tokens).map(([name, count]) => [name, Number(count)]))
  return { run_id: id, ...shown, trigger: { type: trigger_type, id: trigger_id }, usage: { requests, ...counts } }
}

const inTransaction = async <A>(client: PoolClient, act: () => Promise<A>): Promise<A> => {
  await client.query("begin")
  try {
    const made = await act()
    await client.query("commit")
    return made
  } catch (error) {
    await client.query("rollback")
    throw error
  }
}

/** The two endpoints over a pool: a run read by its id, and a run accepted. */
export const makeEndpoints = (databaseUrl: string) => {
  const pool = new Pool({ connectionString: databaseUrl, max: CONNECTIONS })

  const withKey = async (value: unknown, scope: string, answer: (key: KeyRow) => Promise<Reply>): Promise<Reply> => {
    const hash = createHash("sha256").update(String(value)).digest("hex")
    const { rows } = await pool.query<KeyRow>({ name: "key", text: FIND_KEY, values: [hash] })
    const [key] = rows
    if (key === undefined || !isGood(key)) return refused
    return key.scopes.includes(scope) ? answer(key) : forbidden
  }

  return {
    getRun: (value: unknown, id: string) =>
      withKey(value, "runs:read", async (key) => {
        const { rows } = await pool.query({ name: "run", text: FIND_RUN, values: [id, key.workspace_id] })
        return rows[0] === undefined ? notFound : { status: 200, body: runView(rows[0]) }
      }),

    postRun: (value: unknown, run: NewRun) =>
      withKey(value, "runs:write", async (key) => {
        const [sessionId, id] = [randomUUID(), randomUUID()]
        const owner = [key.organization_id, key.workspace_id]
        const values = [...owner, sessionId, id, run.agent_id, JSON.stringify(run.input ?? null)]
        const client = await pool.connect()
        try {
          const createdAt = await inTransaction(client, async () => {
            const { rows } = await client.query({ name: "accept", text: INSERT_RUN, values })
            await client.query({ name: "event", text: INSERT_EVENT, values: [key.workspace_id, id, sessionId] })
            await client.query({ name: "job", text: INSERT_JOB, values: [JSON.stringify({ run_id: id })] })
            return rows[0]?.created_at
          })
          return { status: 202, body: { run_id: id, session_id: sessionId, status: "queued", created_at: createdAt } }
        } finally {
          client.release()
        }
      })
  }
}
