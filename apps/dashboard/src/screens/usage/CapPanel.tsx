import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { spendCapQuery } from "../../api/usage.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { exactMoney } from "../../ui/numbers.ts"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Status } from "../../ui/Status.tsx"
import { Time } from "../../ui/Time.tsx"
import { leftOf } from "./leftOf.ts"

const STATES = {
  ok: { tone: "good", word: "Within the cap" },
  near: { tone: "warn", word: "Near the cap" },
  reached: { tone: "bad", word: "Cap reached" }
} as const

const Figure = ({ children, name }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt className="text-sm text-muted">{name}</dt>
    <dd className="text-lg font-semibold tabular-nums">{children}</dd>
  </div>
)

/** The month in amounts: spent, held back by calls in flight, and left by the cap. */
export const CapPanel = () => {
  const { data: cap, error, refetch } = useQuery(spendCapQuery(useSession()))
  if (cap === undefined) {
    return error === null ? null : (
      <div className="p-4">
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      </div>
    )
  }
  const hasCap = cap.monthly_cap_usd !== null
  return (
    <section aria-label="This month" className="grid gap-3 border-b border-line p-4">
      <h2 className="font-semibold">This month</h2>
      <dl className="flex flex-wrap gap-x-10 gap-y-3">
        <Figure name="Spent">{exactMoney(cap.spent_usd)}</Figure>
        <Figure name="Held back for calls in flight">{exactMoney(cap.reserved_usd)}</Figure>
        <Figure name="Cap">{hasCap ? exactMoney(cap.monthly_cap_usd) : "None"}</Figure>
        {hasCap && <Figure name="Left">{exactMoney(leftOf(cap))}</Figure>}
      </dl>
      <p className="flex flex-wrap gap-x-4 text-muted">
        {hasCap && <Status {...STATES[cap.status]} />}
        <span>
          The next month begins <Time at={cap.period_end} />
        </span>
      </p>
    </section>
  )
}
