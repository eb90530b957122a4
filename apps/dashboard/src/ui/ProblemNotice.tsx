import { failureOf } from "../api/problems.ts"
import { Button } from "./Button.tsx"
import { Quoted } from "./Quoted.tsx"

interface ProblemNoticeProps {
  /** Nothing is shown where there is none. */
  readonly error: unknown
  readonly onRetry?: () => void
}

/** Says what went wrong, in the server's words, with what to quote when it is reported. */
export const ProblemNotice = ({ error, onRetry }: ProblemNoticeProps) => {
  if (error === null || error === undefined) return null
  const { detail, faults, help, requestId, title } = failureOf(error)
  return (
    <div role="alert" className="grid gap-1 rounded-md border border-line bg-bad-tint p-3">
      <p className="font-semibold text-bad">{title}</p>
      <p className="foreign">
        <Quoted text={detail} />
      </p>
      {faults.length > 0 && (
        <ul className="list-inside list-disc">
          {faults.map((fault) => (
            <li key={fault} className="foreign">
              <Quoted text={fault} />
            </li>
          ))}
        </ul>
      )}
      <p className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
        {requestId && <span className="font-mono">Request {requestId}</span>}
        {help && (
          <a className="text-accent underline" href={help} target="_blank" rel="noreferrer">
            About this problem
          </a>
        )}
      </p>
      {onRetry && (
        <div>
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  )
}
