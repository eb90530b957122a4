import type { StreamState } from "../api/useStream.ts"
import { ProblemNotice } from "./ProblemNotice.tsx"

/** Says that a stream is refused, or that its connection is lost; else nothing. */
export const StreamNotice = ({ state }: { readonly state: StreamState }) => {
  if (state.is === "refused") {
    return (
      <div className="p-4">
        <ProblemNotice error={state.error} />
      </div>
    )
  }
  return (
    <div role="status">
      {state.is === "lost" && (
        <p className="border-b border-line bg-warn-tint px-4 py-1.5">
          The connection is lost. What is shown may be old; it goes on by itself.
        </p>
      )}
    </div>
  )
}
