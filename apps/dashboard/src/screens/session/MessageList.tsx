import { useInfiniteQuery } from "@tanstack/react-query"
import { useLayoutEffect, useMemo, useRef } from "react"
import { messagesQuery } from "../../api/sessions.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { MessageView } from "./MessageView.tsx"
import { RunningView } from "./RunningView.tsx"

interface MessageListProps {
  readonly sessionId: string
  /** The run that executes now, if any. */
  readonly runningId: string | undefined
}

/** The messages, oldest first, scrolled to the newest. Earlier ones are read on demand. */
export const MessageList = ({ runningId, sessionId }: MessageListProps) => {
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isPending, refetch } = useInfiniteQuery(
    messagesQuery(useSession(), sessionId)
  )
  const messages = useMemo(() => data?.pages.flatMap(({ items }) => items).reverse() ?? [], [data])
  // A run's last message may be here before the session says that the run has ended.
  const isSaid = messages.some(({ role, run_id }) => role === "agent" && run_id === runningId)
  const scroller = useRef<HTMLElement>(null)
  const newest = messages.at(-1)?.message_id
  // Scrolls to the end for a new message alone: earlier ones leave `newest` as it is. Before the browser draws, so that nothing jumps.
  useLayoutEffect(() => {
    if (newest !== undefined) scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [newest])
  return (
    <section ref={scroller} aria-label="Messages" tabIndex={0} className="min-h-0 flex-1 overflow-auto p-4">
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      {isPending && <Skeleton />}
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Earlier messages
        </Button>
      )}
      {data !== undefined && messages.length === 0 && (
        <p className="text-muted">Nothing has been said in words: its runs have their inputs and results.</p>
      )}
      <ol className="grid gap-3 pt-3">
        {messages.map((message) => (
          <MessageView key={message.message_id} message={message} isNewest={message.message_id === newest} />
        ))}
        {runningId !== undefined && !isSaid && <RunningView key={runningId} runId={runningId} />}
      </ol>
    </section>
  )
}
