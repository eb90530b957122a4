import type { ProviderKey } from "@agent-platform/client"
import type { ReactNode } from "react"
import { Status, type Tone } from "../../ui/Status.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"

/** The providers, as people call them. */
export const PROVIDERS = [
  { value: "openai", label: "OpenAI" },
  { value: "anthropic", label: "Anthropic" },
  { value: "google", label: "Google Gemini" },
  { value: "azure", label: "Azure OpenAI" },
  { value: "bedrock", label: "Amazon Bedrock" },
  { value: "vertex", label: "Vertex AI" },
  { value: "openai_compatible", label: "Compatible with OpenAI" }
] as const satisfies ReadonlyArray<{ readonly value: ProviderKey["provider"]; readonly label: string }>

const STATES: Readonly<Record<ProviderKey["status"], readonly [tone: Tone, word: string]>> = {
  active: ["good", "Active"],
  unverified: ["warn", "Not checked"],
  rate_limited: ["warn", "Rate limited"],
  quota_exhausted: ["bad", "Quota used up"],
  invalid: ["bad", "Refused"],
  revoked: ["idle", "Removed"]
}

interface Shown
  extends Pick<ProviderKey, "name" | "provider" | "hint" | "status" | "priority" | "fallback" | "last_validated_at"> {
  readonly last_error?: ProviderKey["last_error"]
}

const State = ({ last_error, status }: Shown) => {
  const [tone, word] = STATES[status]
  return (
    <span title={last_error?.code}>
      <Status tone={tone} word={word} />
    </span>
  )
}

/** The columns of a list of provider keys, of a workspace or of the organization. */
export const providerColumns = <Row extends Shown>(actions: (key: Row) => ReactNode): ReadonlyArray<Column<Row>> => [
  { id: "name", title: "Name", width: "minmax(140px, 1fr)", cell: ({ name }) => name },
  {
    id: "provider",
    title: "Provider",
    width: "160px",
    cell: ({ provider }) => PROVIDERS.find(({ value }) => value === provider)?.label ?? provider
  },
  {
    id: "hint",
    title: "Key",
    width: "120px",
    cell: ({ hint }) => <span className="font-mono text-sm text-muted">{hint}</span>
  },
  { id: "status", title: "Status", width: "120px", cell: (key) => <State {...key} /> },
  { id: "priority", title: "Priority", width: "64px", numeric: true, cell: ({ priority }) => priority },
  {
    id: "fallback",
    title: "When it cannot serve",
    width: "150px",
    cell: ({ fallback }) => (fallback === "none" ? "Nothing" : "The platform's key")
  },
  {
    id: "checked",
    title: "Checked",
    width: "96px",
    numeric: true,
    cell: ({ last_validated_at }) => (last_validated_at === null ? "never" : <Time at={last_validated_at} />)
  },
  { id: "actions", title: "Actions", width: "60px", cell: actions }
]
