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

/** How a call goes on where no key of the workspace can be used. */
export const FALLBACKS = [
  { value: "none", label: "The call fails" },
  { value: "platform", label: "The platform's key is used" }
] as const satisfies ReadonlyArray<{ readonly value: ProviderKey["fallback"]; readonly label: string }>

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

/** The provider, as people call it. */
export const providerName = (provider: ProviderKey["provider"]): string =>
  PROVIDERS.find(({ value }) => value === provider)?.label ?? provider

/** Why the provider has not said whether it takes a key when it was last asked; undefined where it has. */
export const undecidedOf = ({ last_error, provider }: Pick<Shown, "last_error" | "provider">): string | undefined => {
  if (last_error?.code === "unreachable") return `${providerName(provider)} could not be reached`
  if (last_error?.code === "unsupported") return `${providerName(provider)} cannot be asked about this key`
  return undefined
}

const State = (key: Shown) => {
  const [tone, word] = STATES[key.status]
  const undecided = key.status === "revoked" ? undefined : undecidedOf(key)
  if (undecided === undefined || !key.last_error) {
    return (
      <span title={key.last_error?.code}>
        <Status tone={tone} word={word} />
      </span>
    )
  }
  return (
    <Status
      tone="warn"
      word={
        <span title={`${word}. ${undecided}`}>
          {undecided}, <Time at={key.last_error.at} />
        </span>
      }
    />
  )
}

/** The columns of a list of provider keys, of a workspace or of the organization. */
export const providerColumns = <Row extends Shown>(actions: (key: Row) => ReactNode): ReadonlyArray<Column<Row>> => [
  { id: "name", title: "Name", width: "minmax(140px, 1fr)", cell: ({ name }) => name },
  {
    id: "provider",
    title: "Provider",
    width: "160px",
    cell: ({ provider }) => providerName(provider)
  },
  {
    id: "hint",
    title: "Key",
    width: "120px",
    cell: ({ hint }) => <span className="font-mono text-sm text-muted">{hint}</span>
  },
  { id: "status", title: "Status", width: "minmax(120px, 280px)", cell: (key) => <State {...key} /> },
  { id: "priority", title: "Priority", width: "64px", numeric: true, cell: ({ priority }) => priority },
  {
    id: "fallback",
    title: "If no key works",
    width: "150px",
    cell: ({ fallback }) => FALLBACKS.find(({ value }) => value === fallback)?.label
  },
  {
    id: "checked",
    title: "Accepted",
    width: "96px",
    numeric: true,
    cell: ({ last_validated_at }) => (last_validated_at === null ? "never" : <Time at={last_validated_at} />)
  },
  { id: "actions", title: "Actions", width: "60px", cell: actions }
]
