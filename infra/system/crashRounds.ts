/** The platform under kill -9 at random moments, and the account of what became of every run that it accepted. */
import { randomInt } from "node:crypto"
import { ask } from "../bench/database.ts"
import { makeDatabase, startApi, startApp, startReceiver, until } from "./harness.ts"

/** Where the rounds take place. */
export interface CrashGround {
  readonly postgresUrl: string
  /** The server's process at this moment; it restarts by itself when it is killed. */
  readonly postgresPid: () => number
  readonly say: (line: string) => void
}

/** The final counts. There must be no faults. */
export interface CrashAccount {
  readonly rounds: number
  readonly kills: Readonly<Record<"worker" | "api" | "postgres", number>>
  readonly accepted: number
  readonly ended: Readonly<Record<string, number>>
  readonly deliveries: number
  readonly faults: Readonly<Record<string, number>>
}

/** Runs of every kind: over at once, over soon, over in a while, asking something; with attempts left or not. */
const KINDS = [
  { input: { steps: [{ return: 1 }] }, max_attempts: 20 },
  { input: { steps: [{ say: "a" }, { sleep_ms: 150 }, { say: "b" }, { return: 2 }] }, max_attempts: 20 },
  { input: { steps: [{ say: "a" }, { sleep_ms: 900 }, { return: 3 }] }, max_attempts: 20 },
  { input: { steps: [{ sleep_ms: 200 }, { return: 4 }] } },
  { input: { steps: [{ ask: "Shall I?" }] }, max_attempts: 20 },
  { input: { steps: [{ fail: "no" }] }, max_attempts: 20 }
]

/** How many runs are triggered in a round. */
const RUNS_A_ROUND = 6

const anyOf = <A>(items: ReadonlyArray<A>): A => items[randomInt(items.length)]!

/** Faults of runs, logs and events, found by SQL: the platform's own answers are not trusted. */
export const FAULTS: Readonly<Record<string, string>> = {
  "runs that never ended":
    "select count(*)::int as count from agent_platform.run where status in ('queued', 'running')",
  "logs with a gap or without one end": `select count(*)::int as count from (
    select run.id from agent_platform.run left join agent_platform.run_event as event on event.run_id = run.id group by run.id
    having count(event.seq) <> max(event.seq) or count(event.seq) <> max(run.last_seq)
      or count(*) filter (where event.type in ('run.succeeded', 'run.paused', 'run.failed', 'run.cancelled')) <> 1
  ) as wrong`,
  "runs without exactly one event": `select count(*)::int as count from (
    select run.id from agent_platform.run left join agent_platform.event on event.data::jsonb ->> 'run_id' = run.id::text
    group by run.id having count(event.id) <> 1
  ) as wrong`,
  "events with another outcome than the run": `select count(*)::int as count
    from agent_platform.event join agent_platform.run on run.id::text = event.data::jsonb ->> 'run_id'
    where event.type <> case when run.paused then 'run.paused' else 'run.' || run.status end`,
  "questions answered twice": `select count(*)::int as count from (
    select resumes_run_id from agent_platform.run where resumes_run_id is not null group by resumes_run_id having count(*) > 1
  ) as wrong`,
  "claims left behind":
    "select count(*)::int as count from agent_platform.run where status <> 'running' and claim_token is not null"
}

/** The API, two workers and a receiver, over a database of their own. */
const startPlatform = async (postgresUrl: string) => {
  const database = await makeDatabase(postgresUrl)
  const receiver = await startReceiver()
  const api = await startApi(database.url)
  const workers = [await startApp("worker", database.url), await startApp("worker", database.url)]
  return { database, receiver, api, workers }
}

const play = async (
  rounds: number,
  ground: CrashGround,
  { api, database, receiver, workers }: Awaited<ReturnType<typeof startPlatform>>
): Promise<CrashAccount> => {
  const { say } = ground
  const { agent_id, org_key, workspace_key } = database.credentials
  await api.ask(org_key, "POST", "/api/v1/org/webhooks", { url: receiver.url })
  const accepted = new Set<string>()
  const sessions: Array<string> = []
  const kills = { worker: 0, api: 0, postgres: 0 }
  /** The processes that may be killed next: of four rounds two kill a worker, one the API and one Postgres. */
  const victims: Array<keyof typeof kills> = []

  /** Triggers a run as careful callers do: asks again under the same key until there is an answer. */
  const trigger = async () => {
    const body = {
      agent_id,
      ...anyOf(KINDS),
      ...(sessions.length > 0 && randomInt(3) === 0 ? { session_id: anyOf(sessions) } : {})
    }
    const key = crypto.randomUUID()
    const run = await until(
      "a run is accepted",
      async () => {
        const answer = await api
          .ask(workspace_key, "POST", "/api/v1/runs/", body, { "idempotency-key": key })
          .catch(() => undefined)
        return answer?.status === 202 ? answer.body : undefined
      },
      120
    )
    accepted.add(String(run.run_id))
    sessions.push(String(run.session_id))
    if (sessions.length > 40) sessions.shift()
  }
  /** Replies in a session or cancels its run. The answer may be lost in a kill, which is no fault. */
  const meddle = async () => {
    const [act, body] = randomInt(2) === 0 ? ["messages", { message: "Yes" }] : ["cancel", {}]
    const key = crypto.randomUUID()
    const path = `/api/v1/sessions/${anyOf(sessions)}/${act}`
    const answer = await api.ask(workspace_key, "POST", path, body, { "idempotency-key": key }).catch(() => undefined)
    if (answer?.status === 202 && act === "messages") accepted.add(String(answer.body.run_id))
  }
  const killers = {
    worker: async () => {
      const place = randomInt(workers.length)
      await workers[place]!.kill()
      workers[place] = await startApp("worker", database.url)
    },
    api: async () => {
      await api.kill()
      await api.restart()
    },
    postgres: async () => {
      const killed = ground.postgresPid()
      process.kill(killed, "SIGKILL")
      // Its children may answer for a moment longer.
      await until("Postgres is started again", () => ground.postgresPid() !== killed || undefined, 120)
      const ready = () => fetch(`http://127.0.0.1:${api.port}/readyz`).then(({ status }) => status === 200 || undefined)
      await until("Postgres is back", () => ready().catch(() => undefined), 120)
    }
  }

  for (let round = 1; round <= rounds; round++) {
    const work = Promise.all([...Array.from({ length: RUNS_A_ROUND }, trigger), ...(round > 2 ? [meddle()] : [])])
    await new Promise((resolve) => setTimeout(resolve, randomInt(400)))
    if (victims.length === 0) victims.push("worker", "worker", "api", "postgres")
    const [victim] = victims.splice(randomInt(victims.length), 1) as [keyof typeof kills]
    kills[victim]++
    await killers[victim]()
    await work
    if (round % 20 === 0) say(`${round} rounds, ${accepted.size} runs accepted`)
  }

  const count = async (statement: string) =>
    (await ask<{ readonly count: number }>(database.url, statement))[0]?.count ?? -1
  await until(
    "every run has ended",
    async () => (await count(FAULTS["runs that never ended"]!)) === 0 || undefined,
    180
  )
  const events = await ask<{ readonly id: string }>(database.url, "select id::text as id from agent_platform.event")
  const arrived = () => new Set(receiver.received.map(({ headers }) => headers["x-service-event-id"]))
  await until(
    "every event has arrived",
    () => {
      const ids = arrived()
      return events.every(({ id }) => ids.has(id)) || undefined
    },
    180
  ).catch(() => undefined)
  const ids = arrived()
  const faults: Record<string, number> = {}
  for (const [fault, statement] of Object.entries(FAULTS)) faults[fault] = await count(statement)
  const known = await ask<{ readonly id: string; readonly status: string; readonly trigger: string }>(
    database.url,
    "select id::text as id, case when paused then 'paused' else coalesce(error_code, status) end as status, trigger_type as trigger from agent_platform.run"
  )
  faults["accepted runs that are not there"] = [...accepted].filter((id) => !known.some((run) => run.id === id)).length
  // A trigger is asked for until it is answered, so each of its runs is known. A reply is asked for once, and its answer may be lost.
  faults["runs triggered twice under one key"] = known.filter(
    (run) => run.trigger === "api" && !accepted.has(run.id)
  ).length
  faults["events that never arrived"] = events.filter(({ id }) => !ids.has(id)).length
  const ended: Record<string, number> = {}
  for (const { status } of known) ended[status] = (ended[status] ?? 0) + 1

  return { rounds, kills, accepted: accepted.size, ended, deliveries: receiver.received.length, faults }
}

/** Does so many rounds: triggers runs, kills something at a random moment, starts it again. Then everything must settle. */
export const crashRounds = async (rounds: number, ground: CrashGround): Promise<CrashAccount> => {
  const platform = await startPlatform(ground.postgresUrl)
  try {
    return await play(rounds, ground, platform)
  } finally {
    const { api, database, receiver, workers } = platform
    await Promise.all([api.kill(), ...workers.map((worker) => worker.kill())])
    await receiver.stop()
    await database.drop()
  }
}
