import type { Delivery } from "@agent-platform/client"
import { LongText } from "../../ui/LongText.tsx"
import { duration } from "../../ui/numbers.ts"
import { Time } from "../../ui/Time.tsx"

const AttemptView = ({ attempt }: { readonly attempt: Delivery["attempts"][number] }) => (
  <li className="grid gap-1 border-t border-line py-2">
    <p className="flex flex-wrap gap-x-3">
      <span className="font-medium">Attempt {attempt.number}</span>
      <span>
        {attempt.response_code === null ? (attempt.error ?? "No answer") : `Answered ${attempt.response_code}`}
      </span>
      <span className="text-muted">
        <Time at={attempt.attempted_at} /> · {duration(attempt.duration_ms)}
        {attempt.remote_ip !== null && ` · ${attempt.remote_ip}`}
      </span>
    </p>
    {attempt.response_excerpt !== null && attempt.response_excerpt !== "" && (
      <LongText mono text={attempt.response_excerpt} />
    )}
  </li>
)

/** The attempts of a delivery that are kept, the newest first, each with how it ended. */
export const AttemptList = ({ attempts }: Pick<Delivery, "attempts">) => (
  <ol aria-label="Attempts" aria-live="polite" className="w-full min-w-0">
    {attempts.toReversed().map((attempt) => (
      <AttemptView key={`${attempt.number} ${attempt.attempted_at}`} attempt={attempt} />
    ))}
  </ol>
)
