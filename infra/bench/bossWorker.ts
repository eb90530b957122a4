/** A bare pg-boss worker in a process of its own: fetches batches, woken by NOTIFY, and does nothing with them. */
import { PgBoss } from "pg-boss"
import { QUEUE } from "./bareBoss.ts"

const [url = ""] = process.argv.slice(2)
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
    async () => undefined
  )
}
process.send?.("ready")
