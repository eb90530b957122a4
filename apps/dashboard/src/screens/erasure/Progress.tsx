import type { Erasure } from "@agent-platform/client"
import { useQuery } from "@tanstack/react-query"
import { erasureQuery } from "../../api/erasures.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { count } from "../../ui/numbers.ts"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Status, type Tone } from "../../ui/Status.tsx"
import { Counts } from "./Counts.tsx"

const STATES: Readonly<Record<Erasure["state"], readonly [tone: Tone, word: string, sentence: string]>> = {
  pending: ["busy", "Closed", "Nobody reads it any more. What is left of it goes within two minutes."],
  running: ["busy", "Being erased", "It goes on without this page."],
  done: ["good", "Erased", "Nothing of it is left."],
  failed: ["bad", "Given up", "Something stood in its way. Erase it again, or ask who runs this platform."]
}

/** How far an erasure has come. */
export const Progress = ({ first, onDone }: { readonly first: Erasure; readonly onDone: () => void }) => {
  const { data, error } = useQuery(erasureQuery(useSession(), first))
  const [tone, word, sentence] = STATES[data.state]
  const counts = Object.entries(data.counts).map(
    ([kind, { done, total }]) => [kind, `${count(done)} of ${total === null ? "many" : count(total)}`] as const
  )
  return (
    <div className="grid gap-3">
      <p role="status">
        <Status tone={tone} word={word} />
      </p>
      <p className="text-muted">{sentence}</p>
      <ProblemNotice error={error} />
      <Counts label="Erased" counts={counts} />
      <div className="flex justify-end">
        <Button kind="primary" onClick={onDone}>
          Close
        </Button>
      </div>
    </div>
  )
}
