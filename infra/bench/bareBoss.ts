/** The rate of pg-boss alone: send, work, complete. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { PgBoss } from "pg-boss"
import { loadOf } from "./measure.ts"

/** The queue of the measurement. */
export const QUEUE = "bench.noop"

/** Sends so many jobs from this process and has another do nothing with them. Answers jobs per second, all completed. */
export const bareBossRate = async (url: string, jobs: number, callers: number): Promise<number> => {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false, max: 10 })
  boss.on("error", () => undefined)
  await boss.start()
  await boss.createQueue(QUEUE, { partition: true, notify: true })
  const script = fileURLToPath(new URL("./bossWorker.ts", import.meta.url))
  const worker = fork(script, [url, `${jobs}`], { stdio: "inherit" })
  const said = () => new Promise((resolve) => worker.once("message", resolve))
  await said()
  const completed = said()
  const begun = performance.now()
  await loadOf(jobs, callers, () => boss.send(QUEUE, { n: 1 }))
  await completed
  const seconds = (performance.now() - begun) / 1000
  worker.kill("SIGKILL")
  await boss.deleteQueue(QUEUE)
  await boss.stop({ graceful: false })
  return jobs / seconds
}
