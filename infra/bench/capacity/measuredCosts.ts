/** The costs that `npm run bench:capacity` measured, rounded up, as docs/capacity.md has them. WAL is with images of pages. */
import type { UnitCosts } from "./plan.ts"

export const MEASURED_COSTS: UnitCosts = {
  run: { api: 1_200, worker: 1_000, postgres: 1_600, wal: 9_500, stored: 3_400, transactionIds: 0.6 },
  call: { api: 20, worker: 1_900, postgres: 1_800, wal: 10_500, stored: 2_000, transactionIds: 2.1 },
  event: { api: 10, worker: 10, postgres: 20, wal: 600, stored: 320, transactionIds: 0 },
  delivery: { api: 0, worker: 170, postgres: 100, wal: 1_600, stored: 600, transactionIds: 0.1 },
  read: { api: 270, worker: 0, postgres: 70, wal: 0, stored: 0, transactionIds: 0 }
}
