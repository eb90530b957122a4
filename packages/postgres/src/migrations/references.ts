/** References from one domain's tables to another's, which also keep tenants apart. Each is made once both domains are installed. */
import type { Domain } from "./Step.ts"

interface References {
  readonly from: Domain
  readonly to: Domain
  readonly tables: ReadonlyArray<string>
  /** `foreign key (…) references …`. */
  readonly definition: string
}

const WORKSPACE = "foreign key (organization_id, workspace_id) references workspace (organization_id, id)"
const ORGANIZATION = "foreign key (organization_id) references organization (id)"

const REFERENCES: ReadonlyArray<References> = [
  {
    from: "runs",
    to: "keys",
    tables: ["agent", "agent_version", "agent_webhook", "schedule", "session", "run", "run_content", "run_checkpoint"],
    definition: WORKSPACE
  },
  {
    from: "billing",
    to: "keys",
    tables: [
      "workspace_spend",
      "price_override",
      "usage_correction",
      "billing_month",
      "usage_roll_up",
      "outcome_roll_up",
      "latency_roll_up",
      "billing_day"
    ],
    definition: WORKSPACE
  },
  {
    from: "billing",
    to: "runs",
    tables: ["run_spend"],
    definition: "foreign key (workspace_id, run_id) references run (workspace_id, id) on delete cascade"
  },
  { from: "webhooks", to: "keys", tables: ["webhook_endpoint"], definition: ORGANIZATION },
  {
    from: "feeds",
    to: "keys",
    tables: ["activity", "notification", "notification_tally"],
    definition: ORGANIZATION
  },
  {
    from: "feeds",
    to: "keys",
    tables: [
      "activity",
      "notification",
      "notification_tally",
      "notification_reader",
      "notification_read",
      "notification_closing"
    ],
    definition: WORKSPACE
  }
]

const statementsOf = (references: ReadonlyArray<References>) =>
  references.flatMap(({ definition, tables }) => tables.map((table) => `alter table ${table} add ${definition}`))

/** The statements that make the references between an added domain and those that are present. */
export const referencesWith = (added: Domain, present: ReadonlySet<Domain>): ReadonlyArray<string> =>
  statementsOf(
    REFERENCES.filter(({ from, to }) => (from === added && present.has(to)) || (to === added && present.has(from)))
  )

/** Those that make all references from a domain and to it. */
export const referencesOf = (domain: Domain): ReadonlyArray<string> =>
  statementsOf(REFERENCES.filter(({ from, to }) => from === domain || to === domain))
