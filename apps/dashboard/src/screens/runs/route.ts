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
  // Begins to read the first page once it is known who is signed in, while the frame is still drawn. The screen uses the same query: it
  // shows what failed, and reads by itself when a filter changes later.
  loader: ({ cause, context: { queries }, deps }) => {
    if (cause !== "enter") return
    const read = async () => {
      const session = await queries.ensureQueryData(foundSessionQuery)
      if (session?.workspace === undefined) return
      await queries.ensureInfiniteQueryData(runsQuery(session, deps))
    }
    void read().catch(() => undefined)
  },
  // Not lazy as the other screens are: people land here.
  component: Runs
})
