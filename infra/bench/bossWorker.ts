/**
 * A bare pg-boss worker in a process of its own: fetches batches, woken by NOTIFY, and does nothing with them. It says
 * when it is ready, and when so many are completed.
 */
import { PgBoss } from "pg-boss"
import { QUEUE } from "./bareBoss.ts"

const [url = "", jobs = "0"] = process.argv.slice(2)
let left = Number(jobs)
const boss = new PgBoss({
  connectionString: url,
  supervise: false,
  schedule: false,
  migrate: false,
  useListenNotify: true
})
boss.on("error", () => undefined)
await boss.start()
for (let worker = 0; worker < 2; worker++) {
  await boss.work(
    QUEUE,
    { batchSize: 50, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
    async (batch) => {
      left -= batch.length
      // A worker that is stopped has completed what it was given.
      if (left === 0) void boss.offWork(QUEUE, { wait: true }).then(() => process.send?.("completed"))
    }
  )
}
process.send?.("ready")
