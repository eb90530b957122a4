/** Counts what an erasure would remove, asks for it, and follows it. */
import type { Erasure, ErasurePreview } from "@agent-platform/client"
import { queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"

/** The thing that is erased, with all that belongs to it. */
export interface ErasureSubject {
  readonly kind: "run" | "session" | "agent" | "workspace"
  readonly id: string
}

/** How often a dialog that shows an erasure looks how far it has come. There is no stream of it. */
const LOOK_MILLIS = 1_000

/** A dry run is answered with a preview, else with the erasure. The client's types do not tell which, so the two callers do. */
const ask = (
  { client }: Session,
  { id, kind }: ErasureSubject,
  isDryRun: boolean
): Promise<ErasurePreview | Erasure> => {
  const query = { dry_run: isDryRun }
  switch (kind) {
    case "run":
      return client.erasures.eraseRun({ params: { run_id: id }, query })
    case "session":
      return client.erasures.eraseSession({ params: { session_id: id }, query })
    case "agent":
      return client.erasures.eraseAgent({ params: { agent_id: id }, query })
    case "workspace":
      return client.erasures.eraseWorkspace({ params: { workspace_id: id }, query })
  }
}

/** How many things of each kind would go. */
export const erasurePreviewQuery = (session: Session, subject: ErasureSubject) =>
  queryOptions({
    queryKey: ["erasures", "preview", subject.kind, subject.id],
    queryFn: async () => (await ask(session, subject, true)).counts as ErasurePreview["counts"],
    // Counted when somebody is about to decide, never from before.
    gcTime: 0,
    staleTime: 0
  })

/** Asks for the erasure. It cannot be taken back. */
export const erase = async (session: Session, subject: ErasureSubject): Promise<Erasure> =>
  (await ask(session, subject, false)) as Erasure

const isOver = ({ state }: Erasure): boolean => state === "done" || state === "failed"

/** How far an erasure has come; looked at while it goes on. */
export const erasureQuery = ({ client }: Session, first: Erasure) =>
  queryOptions({
    queryKey: ["erasures", "one", first.id],
    queryFn: ({ signal }) => client.erasures.getErasure({ params: { erasure_id: first.id }, signal }),
    initialData: first,
    refetchInterval: ({ state: { data } }) => (data !== undefined && isOver(data) ? false : LOOK_MILLIS)
  })
