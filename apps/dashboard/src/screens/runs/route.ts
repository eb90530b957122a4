import { createRoute } from "@tanstack/react-router"
import { type RunFilters, runsQuery } from "../../api/runs.ts"
import { frameRoute } from "../../frame/routes.tsx"
import { oneOf, text } from "../../frame/search.ts"
import { foundSessionQuery } from "../../session/SessionContext.tsx"
import { RUN_FILTERS } from "./filters.ts"
import { Runs } from "./Runs.tsx"

/** The runs of the workspace; the filters are the address. */
export const runsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "runs",
  validateSearch: (search): RunFilters => ({
    status: oneOf(RUN_FILTERS, search["status"]),
    agent_id: text(search["agent_id"]),
    session_id: text(search["session_id"]),
    tag: text(search["tag"])
  }),
  loaderDeps: ({ search }) => search,
  // The first page, begun as soon as it is known who is signed in, beside the drawing of the frame. The screen shows how it went.
  loader: ({ cause, context: { queries }, deps }) => {
    if (cause !== "enter") return
    const read = async () => {
      const session = await queries.ensureQueryData(foundSessionQuery)
      if (session?.workspace === undefined) return
      await queries.ensureInfiniteQueryData(runsQuery(session, deps))
    }
    void read().catch(() => undefined)
  },
  // Part of the first script, since one lands here.
  component: Runs
})
