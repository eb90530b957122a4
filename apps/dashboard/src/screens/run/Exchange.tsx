/** The run before or after this one, where one answers the question of the other. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { runQuery } from "../../api/runs.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { LongText } from "../../ui/LongText.tsx"

interface ExchangeProps {
  readonly runId: string
}

const RunLink = ({ runId }: ExchangeProps) => (
  <Link to="/runs/$runId" params={{ runId }} className="font-mono text-sm text-accent underline" title={runId}>
    {runId.slice(-8)}
  </Link>
)

const boxClasses = "grid max-h-[30vh] gap-1 overflow-auto border-line bg-panel px-4 py-2"

/** Which run this one answers, and its question. */
export const AnswersRun = ({ runId }: ExchangeProps) => {
  const { data: asking } = useQuery(runQuery(useSession(), runId))
  return (
    <section aria-label="Question" tabIndex={0} className={`${boxClasses} border-b`}>
      <p className="text-muted">
        Answers run <RunLink runId={runId} />
      </p>
      {asking?.message && <LongText text={asking.message} />}
    </section>
  )
}

/** Which run has answered this one, and with which words. */
export const AnsweredBy = ({ runId }: ExchangeProps) => {
  const { data: answer } = useQuery(runQuery(useSession(), runId))
  return (
    <section aria-label="Answer" tabIndex={0} className={`${boxClasses} border-t`}>
      <p className="text-muted">
        Answered by run <RunLink runId={runId} />
      </p>
      {answer?.prompt && <LongText text={answer.prompt} />}
    </section>
  )
}
