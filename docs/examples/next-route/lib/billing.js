// One instance for the whole process. In development Next loads modules anew after each change, and `globalThis` stays.
import { createBilling } from "@agent-platform/embed/billing"

const open = async () => {
  const billing = createBilling({
    database: process.env.DATABASE_URL ?? "",
    prices: { "small-model": { inputUsd: "0.15", outputUsd: "0.60" } },
    capUsd: "0.02"
  })
  await billing.migrate()
  await billing.start()
  return billing
}

export const billing = () => {
  globalThis.billingDoor ??= open()
  return globalThis.billingDoor
}
