import type { Session } from "@agent-platform/client"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { sessionQuery } from "../../api/sessions.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { buttonClasses } from "../../ui/Button.tsx"
import { Copy } from "../../ui/Copy.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Status } from "../../ui/Status.tsx"
import { StreamNotice } from "../../ui/StreamNotice.tsx"
import { EraseButton } from "../erasure/EraseButton.tsx"
import { CancelSession } from "../run/CancelSession.tsx"
import { sessionStatusOf } from "../sessions/filters.ts"
import { MessageList } from "./MessageList.tsx"
import { SessionReply } from "./SessionReply.tsx"
import { useLiveSession } from "./useLiveSession.ts"

const route = getRouteApi("/frame/sessions/$sessionId")

const EraseSession = ({ sessionId }: { readonly sessionId: string }) => {
  const navigate = useNavigate()
  return (
    <EraseButton
      subject={{ kind: "session", id: sessionId }}
      name={`session ${sessionId.slice(-8)}`}
      onErased={() => void navigate({ to: "/sessions" })}
    />
  )
}

const Bar = ({ chat, mayWrite }: { readonly chat: Session; readonly mayWrite: boolean }) => (
  <>
    <Copy text={chat.session_id} label={`Copy session ${chat.session_id}`} />
    <span role="status" className="mr-2">
      <Status {...sessionStatusOf(chat.status)} />
    </span>
    <Link to="/runs" search={{ session_id: chat.session_id }} className={buttonClasses()}>
      Its runs
    </Link>
    {mayWrite && chat.status !== "idle" && (
      <CancelSession
        sessionId={chat.session_id}
        mode="graceful"
        what="session"
        word={chat.status === "paused" ? "Close the question" : "Cancel"}
        consequence="Its open question can be answered no more, and all that it has under way is cancelled. A run that executes may clean up for ten seconds."
      />
    )}
    <EraseSession sessionId={chat.session_id} />
  </>
)

const LiveSession = ({ sessionId }: { readonly sessionId: string }) => {
  const session = useSession()
  const { data: chat, error, isPending, refetch } = useQuery(sessionQuery(session, sessionId))
  const state = useLiveSession(sessionId)
  const title = `Session ${sessionId.slice(-8)}`
  if (isPending) return <Skeleton />
  if (chat === undefined) {
    return (
      <Screen title={title}>
        <div className="p-4">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      </Screen>
    )
  }
  const latest = chat.latest_run
  const mayWrite = session.can("runs:write")
  return (
    <Screen title={title} bar={<Bar chat={chat} mayWrite={mayWrite} />}>
      <StreamNotice state={state} />
      <MessageList sessionId={sessionId} runningId={latest?.status === "running" ? latest.run_id : undefined} />
      {mayWrite && <SessionReply chat={chat} />}
    </Screen>
  )
}

/** One session as a chat. */
export const SessionScreen = () => {
  const { sessionId } = route.useParams()
  return <LiveSession key={sessionId} sessionId={sessionId} />
}
