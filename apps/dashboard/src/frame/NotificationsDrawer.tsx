import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { markRead, notificationsQuery } from "../api/feeds.ts"
import { useSession } from "../session/SessionContext.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { count } from "../ui/numbers.ts"
import { ProblemNotice } from "../ui/ProblemNotice.tsx"
import { Select } from "../ui/Select.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import { NoticeView } from "./NoticeView.tsx"

const SHOWN = [
  { value: "all", label: "All" },
  { value: "unread", label: "Unread" }
] as const

/** The newest notices to the workspace; read ones are so for everybody in it. */
export const NotificationsDrawer = ({ onClose }: { readonly onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const [shown, setShown] = useState<"all" | "unread">("all")
  const { data, error, isPending, refetch } = useQuery(notificationsQuery(session, shown === "unread"))
  const mark = useMutation({
    mutationFn: (ids: ReadonlyArray<string> | "all") => markRead(session, ids),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["notifications"] })
  })
  const unread = data?.unread_count ?? 0
  const mayMark = session.can("feeds:write")
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Notifications" placement="right">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <span role="status" className="mr-auto text-muted">
          {unread === 0 ? "Nothing unread" : `${count(unread)} unread`}
        </span>
        <Select label="Show" value={shown} choices={SHOWN} onChange={setShown} />
        {mayMark && unread > 0 && (
          <Button disabled={mark.isPending} onClick={() => mark.mutate("all")}>
            Mark all as read
          </Button>
        )}
      </div>
      <ProblemNotice error={mark.error ?? error} onRetry={() => void refetch()} />
      {isPending && <Skeleton />}
      {data?.items.length === 0 && (
        <p className="py-8 text-center text-muted">
          {shown === "unread" ? "All is read." : "Nothing yet: failures, questions and reached caps are told here."}
        </p>
      )}
      <ul>
        {data?.items.map((notice) => (
          <NoticeView
            key={notice.id}
            notice={notice}
            pending={mark.isPending}
            onFollow={onClose}
            {...(mayMark && !notice.read ? { onRead: () => mark.mutate([notice.id]) } : {})}
          />
        ))}
      </ul>
    </Dialog>
  )
}
