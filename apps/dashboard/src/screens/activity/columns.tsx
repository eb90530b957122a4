import type { ActivityEntry } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import { type Column, rowLinkClasses } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { actorWord } from "./filters.ts"

/** The columns of the record. A row leads to the whole of its entry. */
export const activityColumns: ReadonlyArray<Column<ActivityEntry>> = [
  {
    id: "action",
    title: "Action",
    width: "minmax(140px, 200px)",
    cell: ({ action, id }) => (
      <Link to="/activity" search={(search) => ({ ...search, entry: id })} className={rowLinkClasses}>
        {action}
      </Link>
    )
  },
  { id: "summary", title: "Done", width: "minmax(240px, 1fr)", cell: ({ summary }) => summary },
  {
    id: "actor",
    title: "By",
    width: "minmax(140px, 220px)",
    cell: ({ actor_label, actor_type }) => <span title={actorWord(actor_type)}>{actor_label}</span>
  },
  { id: "at", title: "When", width: "104px", numeric: true, cell: ({ created_at }) => <Time at={created_at} /> }
]
