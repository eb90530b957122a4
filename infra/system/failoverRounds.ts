/** Failovers to a synchronous standby under load, and the account of what became of every run that was accepted. */
import { randomInt } from "node:crypto"
import { ask } from "../bench/database.ts"
import { FAULTS } from "./crashRounds.ts"
import { makeDatabase, startApi, startApp, until } from "./harness.ts"
import { startPrimaryAndStandby } from "./primaryAndStandby.ts"

/** The final counts of one failover. There must be no faults. */
export interface FailoverAccount {
  readonly accepted: number
  /** From the kill of the primary to the first run that was accepted afterwards. */
  readonly seconds: number
  readonly faults: Readonly<Record<string, number>>
}

const CALLERS = 12

/** Runs that are over at once, and runs that execute while the primary is killed. That may not cost their one attempt. */
const KINDS = [
  { input: { steps: [{ return: 1 }] }, max_attempts: 1 },
  { input: { steps: [{ say: "a" }, { sleep_ms: 150 }, { say: "b" }, { return: 2 }] }, max_attempts: 1 },
  { input: { steps: [{ sleep_ms: 900 }, { return: 3 }] }, max_attempts: 1 }
]

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/**
 * One failover: callers trigger runs without a pause, each asked for again under its key until it is accepted; the primary is killed
 * at a random moment, and the standby promoted. API and workers are given the URL with both hosts and are not restarted.
 */
const failOver = async (): Promise<FailoverAccount> => {
  const servers = await startPrimaryAndStandby({ isSynchronous: true })
  const closing: Array<() => Promise<unknown>> = [servers.stop]
  try {
    const database = await makeDatabase(servers.urlsOn(servers.primary, "").url)
    const both = `${database.url.replace(new URL(database.url).host, `${servers.primary},${servers.standby}`)}?target_session_attrs=read-write`
    const api = await startApi(both)
    closing.push(api.kill)
    const workers = await Promise.all([startApp("worker", both), startApp("worker", both)])
    for (const worker of workers) closing.push(worker.kill)

    const { agent_id, workspace_key } = database.credentials
    const accepted = new Map<string, string>()
    const acceptedAt: Array<number> = []
    let over = false
    const trigger = async (key: string) => {
      const body = { agent_id, ...KINDS[randomInt(KINDS.length)]! }
      const run = await until("a run is accepted", async () => {
        const answer = await api
          .ask(workspace_key, "POST", "/api/v1/runs/", body, { "idempotency-key": key })
          .catch(() => undefined)
        return answer?.status === 202 ? answer.body : undefined
      })
      accepted.set(String(run.run_id), key)
      acceptedAt.push(performance.now())
    }
    const calling = Promise.all(
      Array.from({ length: CALLERS }, async () => {
        while (!over) await trigger(crypto.randomUUID())
      })
    )
    await until("runs are accepted", () => accepted.size > 50 || undefined)
    await pause(randomInt(1_000))
    const killedAt = performance.now()
    await servers.killPrimary()
    await servers.promote()
    // Answers that were on their way at the kill come within 50 ms of it, and do not count.
    const backAt = await until("a run is accepted again", () => acceptedAt.find((at) => at > killedAt + 50))
    await until("many more are", () => acceptedAt.filter((at) => at >= backAt).length > 50 || undefined)
    over = true
    await calling

    const url = new URL(servers.urlsOn(servers.standby, "").url)
    url.pathname = new URL(database.url).pathname
    const count = async (statement: string) =>
      (await ask<{ readonly count: number }>(url.href, statement))[0]?.count ?? -1
    const unended = FAULTS["runs that never ended"]!
    await until("every run has ended", async () => (await count(unended)) === 0 || undefined, 90).catch(() => undefined)
    const faults: Record<string, number> = {}
    for (const [fault, statement] of Object.entries(FAULTS)) faults[fault] = await count(statement)
    const known = await ask<{ readonly id: string; readonly status: string }>(
      url.href,
      "select id::text as id, coalesce(error_code, status) as status from agent_platform.run"
    )
    const ids = new Set(known.map(({ id }) => id))
    faults["accepted runs that are not there"] = [...accepted.keys()].filter((id) => !ids.has(id)).length
    faults["runs triggered twice under one key"] = known.filter(({ id }) => !accepted.has(id)).length
    faults["runs that ended otherwise than they should"] = known.filter(({ status }) => status !== "succeeded").length
    return { accepted: accepted.size, seconds: (backAt - killedAt) / 1_000, faults }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

/** Does so many failovers, one after the other, each over its own pair of servers. */
export const failoverRounds = async (
  rounds: number,
  say: (line: string) => void
): Promise<ReadonlyArray<FailoverAccount>> => {
  const accounts: Array<FailoverAccount> = []
  for (let round = 1; round <= rounds; round++) {
    const account = await failOver()
    accounts.push(account)
    const faults = Object.entries(account.faults).filter(([, count]) => count > 0)
    say(
      `${round}: ${account.accepted} runs accepted, back after ${account.seconds.toFixed(1)} s` +
        faults.map(([fault, count]) => `; FAULT ${count} ${fault}`).join("")
    )
  }
  return accounts
}
