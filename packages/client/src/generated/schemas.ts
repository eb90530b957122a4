/** Requests and answers as they are on the wire. Made from openapi.json by `npm run docs`. */

/** A recorded action */
export interface ActivityEntry {
  /** The entry's id */
  readonly id: string
  /** The action: `<resource>.<verb in the past>` */
  readonly action: string
  /** user: a person, or an API key. agent: an agent by itself. system: workers, jobs, inbound webhooks and operators */
  readonly actor_type: "user" | "agent" | "system"
  /** The person, the name of the key, the agent, or the part of the platform */
  readonly actor_label: string
  /** One sentence for a person */
  readonly summary: string
  /** The kind of resource it was done to */
  readonly resource_type: string
  /** The id of that resource */
  readonly resource_id: string
  /** More about it, by the action; never a secret */
  readonly payload: Readonly<Record<string, unknown>>
  /** When it was done */
  readonly created_at: string
}

/** Activity, newest first */
export interface ActivityPage {
  /** Newest first */
  readonly items: ReadonlyArray<ActivityEntry>
  /** For older entries; null when there are none */
  readonly next_cursor: string | null
  /** Whether entries of the organization itself are among them: for organization keys, and for sessions of owners and admins */
  readonly includes_admin_entries: boolean
}

/** A recipe with its settings, which runs execute */
export interface Agent {
  /** The agent's id */
  readonly agent_id: string
  /** The agent's name */
  readonly name: string
  /** Description of the agent */
  readonly description: string | null
  /** The recipe of a run that names none */
  readonly recipe: string
  /** Further recipes that a run may name */
  readonly recipes: ReadonlyArray<string>
  /** The model that the recipe uses */
  readonly model: string | null
  /** The system instructions of the model, for the recipe chat */
  readonly instructions: string | null
  /** Tools that the recipe may use; for chat `ask_user` and `http_request` */
  readonly tools: ReadonlyArray<string>
  readonly temperature: number | null
  readonly top_p: number | null
  readonly max_output_tokens: number | null
  readonly stop: ReadonlyArray<string> | null
  readonly seed: number | null
  readonly reasoning_effort: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null
  readonly tool_choice: "auto" | "none" | "required" | NamedTool | null
  readonly parallel_tool_calls: boolean | null
  readonly output_schema: Readonly<Record<string, unknown>> | null
  readonly provider_options: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null
  /** Whether the provider is asked to remember what it is sent again, such as instructions, which costs less */
  readonly prompt_cache: "auto" | "off"
  /** Tools that the caller of a run answers */
  readonly function_tools: ReadonlyArray<FunctionTool>
  /** Tools that somebody has to approve of before each call; `*` for all */
  readonly approvals: ReadonlyArray<string>
  /** The settings that a run may have for itself */
  readonly overridable: ReadonlyArray<"model" | "instructions" | "tools" | "temperature" | "top_p" | "max_output_tokens" | "stop" | "seed" | "reasoning_effort" | "tool_choice" | "parallel_tool_calls" | "output_schema" | "provider_options" | "prompt_cache">
  /** Servers of tools (MCP over HTTP) that the recipe chat may use */
  readonly mcp_servers: ReadonlyArray<McpServer>
  readonly max_cost_usd: string | null
  /** The JSON schema that the input of a run must have; null for any */
  readonly input_schema: Readonly<Record<string, unknown>> | null
  readonly endpoint: AgentEndpoint | null
  /** Counts the changes of the agent, from 1. For `If-Match` */
  readonly version: number
  /** Whether runs can be triggered; an archived agent stays readable */
  readonly status: "active" | "archived"
  readonly webhook: AgentWebhookState | null
  /** When the agent was created */
  readonly created_at: string
  /** When the agent was last changed */
  readonly updated_at: string
}

/** Changes of an agent; absent members stay as they are */
export interface AgentChange {
  /** The agent's name */
  readonly name?: string | undefined
  /** A recipe that is registered in the deployment, such as chat, http or demo */
  readonly recipe?: string | undefined
  readonly description?: string | null | undefined
  /** Further recipes that a run may name */
  readonly recipes?: ReadonlyArray<string> | undefined
  readonly model?: string | null | undefined
  readonly instructions?: string | null | undefined
  /** Tools that the recipe may use; for chat `ask_user` and `http_request` */
  readonly tools?: ReadonlyArray<string> | undefined
  readonly temperature?: number | null | undefined
  readonly top_p?: number | null | undefined
  readonly max_output_tokens?: number | null | undefined
  readonly stop?: ReadonlyArray<string> | null | undefined
  readonly seed?: number | null | undefined
  readonly reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null | undefined
  readonly tool_choice?: "auto" | "none" | "required" | NewNamedTool | null | undefined
  readonly parallel_tool_calls?: boolean | null | undefined
  readonly output_schema?: Readonly<Record<string, unknown>> | null | undefined
  readonly provider_options?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null | undefined
  readonly prompt_cache?: "auto" | "off" | null | undefined
  /** Tools that the caller of a run answers, for the recipe chat */
  readonly function_tools?: ReadonlyArray<NewFunctionTool> | undefined
  /** Tools that somebody has to approve of before each call, by the names that the model has for them; `*` for all */
  readonly approvals?: ReadonlyArray<string> | undefined
  /** The settings that a run, or a reply, may have for itself by a member of the same name */
  readonly overridable?: ReadonlyArray<"model" | "instructions" | "tools" | "temperature" | "top_p" | "max_output_tokens" | "stop" | "seed" | "reasoning_effort" | "tool_choice" | "parallel_tool_calls" | "output_schema" | "provider_options" | "prompt_cache"> | undefined
  /** Servers of tools (MCP over HTTP) that the recipe chat may use */
  readonly mcp_servers?: ReadonlyArray<NewMcpServer> | undefined
  readonly endpoint?: NewAgentEndpoint | null | undefined
  readonly max_cost_usd?: string | null | undefined
  readonly input_schema?: Readonly<Record<string, unknown>> | null | undefined
}

/** Where an agent of one's own is reached */
export interface AgentEndpoint {
  /** Where the recipe http calls the agent */
  readonly url: string
  /** The secret that requests are signed with. Shown once, when it is created; null afterwards */
  readonly signing_secret: string | null
}

/** Agents, newest first */
export interface AgentPage {
  /** Newest first */
  readonly items: ReadonlyArray<Agent>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** A template of agents: settings that an agent of each workspace follows */
export interface AgentTemplate {
  /** The template's id */
  readonly id: string
  /** Counts the changes of the template. For `If-Match` */
  readonly version: number
  /** When the template was made */
  readonly created_at: string
  /** When it was last changed */
  readonly updated_at: string
  readonly spread: TemplateSpread
  /** The agent's name */
  readonly name: string
  /** Description of the agent */
  readonly description: string | null
  /** The recipe of a run that names none */
  readonly recipe: string
  /** Further recipes that a run may name */
  readonly recipes: ReadonlyArray<string>
  /** The model that the recipe uses */
  readonly model: string | null
  /** The system instructions of the model, for the recipe chat */
  readonly instructions: string | null
  /** Tools that the recipe may use; for chat `ask_user` and `http_request` */
  readonly tools: ReadonlyArray<string>
  readonly temperature: number | null
  readonly top_p: number | null
  readonly max_output_tokens: number | null
  readonly stop: ReadonlyArray<string> | null
  readonly seed: number | null
  readonly reasoning_effort: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null
  readonly tool_choice: "auto" | "none" | "required" | NamedTool | null
  readonly parallel_tool_calls: boolean | null
  readonly output_schema: Readonly<Record<string, unknown>> | null
  readonly provider_options: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null
  /** Whether the provider is asked to remember what it is sent again, such as instructions, which costs less */
  readonly prompt_cache: "auto" | "off"
  /** Tools that the caller of a run answers */
  readonly function_tools: ReadonlyArray<FunctionTool>
  /** Tools that somebody has to approve of before each call; `*` for all */
  readonly approvals: ReadonlyArray<string>
  /** The settings that a run may have for itself */
  readonly overridable: ReadonlyArray<"model" | "instructions" | "tools" | "temperature" | "top_p" | "max_output_tokens" | "stop" | "seed" | "reasoning_effort" | "tool_choice" | "parallel_tool_calls" | "output_schema" | "provider_options" | "prompt_cache">
  /** Servers of tools (MCP over HTTP) that the recipe chat may use */
  readonly mcp_servers: ReadonlyArray<McpServer>
  readonly max_cost_usd: string | null
  /** The JSON schema that the input of a run must have; null for any */
  readonly input_schema: Readonly<Record<string, unknown>> | null
  readonly endpoint: AgentEndpoint | null
}

/** Templates of agents, newest first */
export interface AgentTemplatePage {
  /** Newest first */
  readonly items: ReadonlyArray<AgentTemplate>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** The settings of an agent from one change to the next, without secrets */
export interface AgentVersion {
  /** The agent's id */
  readonly agent_id: string
  /** Which version: that of the runs that show it as `agent_version` */
  readonly version: number
  /** The agent's name */
  readonly name: string
  /** Description of the agent */
  readonly description: string | null
  /** The recipe of a run that names none */
  readonly recipe: string
  /** Further recipes that a run may name */
  readonly recipes: ReadonlyArray<string>
  /** The model that the recipe uses */
  readonly model: string | null
  /** The system instructions of the model, for the recipe chat */
  readonly instructions: string | null
  /** Tools that the recipe may use; for chat `ask_user` and `http_request` */
  readonly tools: ReadonlyArray<string>
  readonly temperature: number | null
  readonly top_p: number | null
  readonly max_output_tokens: number | null
  readonly stop: ReadonlyArray<string> | null
  readonly seed: number | null
  readonly reasoning_effort: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null
  readonly tool_choice: "auto" | "none" | "required" | NamedTool | null
  readonly parallel_tool_calls: boolean | null
  readonly output_schema: Readonly<Record<string, unknown>> | null
  readonly provider_options: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null
  /** Whether the provider is asked to remember what it is sent again, such as instructions, which costs less */
  readonly prompt_cache: "auto" | "off"
  /** Tools that the caller of a run answers */
  readonly function_tools: ReadonlyArray<FunctionTool>
  /** Tools that somebody has to approve of before each call; `*` for all */
  readonly approvals: ReadonlyArray<string>
  /** The settings that a run may have for itself */
  readonly overridable: ReadonlyArray<"model" | "instructions" | "tools" | "temperature" | "top_p" | "max_output_tokens" | "stop" | "seed" | "reasoning_effort" | "tool_choice" | "parallel_tool_calls" | "output_schema" | "provider_options" | "prompt_cache">
  /** Servers of tools (MCP over HTTP) that the recipe chat may use */
  readonly mcp_servers: ReadonlyArray<McpServer>
  readonly max_cost_usd: string | null
  /** The JSON schema that the input of a run must have; null for any */
  readonly input_schema: Readonly<Record<string, unknown>> | null
  readonly endpoint: AgentVersionEndpoint | null
  /** Whether the agent was archived by it */
  readonly status: "active" | "archived"
  /** When it became the agent's present version */
  readonly created_at: string
}

/** Where an agent of one's own was reached */
export interface AgentVersionEndpoint {
  /** Where the recipe http called the agent */
  readonly url: string
}

/** Versions of an agent, the latest first */
export interface AgentVersionPage {
  /** Newest first */
  readonly items: ReadonlyArray<AgentVersion>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** An agent's inbound URL */
export interface AgentWebhook {
  /** The agent that it sets going */
  readonly agent_id: string
  /** Where to send requests. Shown once; null in a repetition under the same Idempotency-Key */
  readonly url: string | null
  /** The secret that the sender signs with. Shown once; null without verification, and in a repetition */
  readonly secret: string | null
  /** How requests show where they come from */
  readonly verification: "none" | "stripe" | "github" | "standard-webhooks"
  readonly map: Readonly<Record<string, string>> | null
  /** When it was created */
  readonly created_at: string
}

/** An agent's inbound URL, without the URL itself; null if it never had one */
export interface AgentWebhookState {
  /** Whether it accepts requests */
  readonly active: boolean
  /** How requests show where they come from */
  readonly verification: "none" | "stripe" | "github" | "standard-webhooks"
  /** When the URL was created */
  readonly created_at: string
  readonly last_received_at: string | null
}

/** A key without its value */
export interface ApiKey {
  /** The key's id */
  readonly id: string
  /** Purpose of the key */
  readonly name: string
  /** The part of the key that may always be shown */
  readonly hint: string
  /** Whose key it is: one workspace's or the organization's */
  readonly kind: "workspace" | "organization"
  /** The key's workspace; null for an organization key */
  readonly workspace_id: string | null
  /** Scopes of the key */
  readonly scopes: ReadonlyArray<"runs:read" | "runs:write" | "agents:read" | "agents:write" | "schedules:read" | "schedules:write" | "keys:read" | "keys:write" | "byok:read" | "byok:write" | "tool_secrets:read" | "tool_secrets:write" | "analytics:read" | "feeds:read" | "feeds:write" | "webhooks:read" | "webhooks:write" | "org:admin" | "data:erase">
  /** The networks that the key may be used from; none for everywhere */
  readonly allowed_ips: ReadonlyArray<string>
  /** How often the key may be used; null for no limit */
  readonly rate_limit: RateLimit | null
  /** active: accepted. rotating: another key took its place (`replaced_by`), and it is accepted until `expires_at`. disabled: switched off. No other than the first two is accepted */
  readonly status: "active" | "rotating" | "disabled" | "revoked" | "expired"
  /** Counts the changes of the key, its uses excepted. For `If-Match` */
  readonly version: number
  /** When the key was created */
  readonly created_at: string
  readonly created_by: Creator
  readonly expires_at: string | null
  readonly last_used_at: string | null
  /** The key that took its place; null for none */
  readonly replaced_by: string | null
  /** For a grant, the session that it ends with; null for every other key */
  readonly session_id: string | null
  /** The caller's own pairs */
  readonly metadata: Readonly<Record<string, string>>
}

/** Changes of a key; absent members stay as they are */
export interface ApiKeyChange {
  /** Purpose of the key */
  readonly name?: string | undefined
  /** Scopes of the key; never more than the caller has */
  readonly scopes?: ReadonlyArray<"runs:read" | "runs:write" | "agents:read" | "agents:write" | "schedules:read" | "schedules:write" | "keys:read" | "keys:write" | "byok:read" | "byok:write" | "tool_secrets:read" | "tool_secrets:write" | "analytics:read" | "feeds:read" | "feeds:write" | "webhooks:read" | "webhooks:write" | "org:admin" | "data:erase"> | undefined
  readonly expires_at?: string | null | undefined
  /** The networks that the key may be used from; none for everywhere */
  readonly allowed_ips?: ReadonlyArray<string> | undefined
  readonly rate_limit?: NewRateLimit | null | undefined
  /** Up to 16 pairs of the caller's own: names of 1 to 64 characters, values of up to 500 */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Switches the key off (401 `credential_disabled`) and on again */
  readonly status?: "active" | "disabled" | undefined
}

/** Keys, newest first */
export interface ApiKeyPage {
  /** Newest first, revoked ones included */
  readonly items: ReadonlyArray<ApiKey>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** How to rotate a key */
export interface ApiKeyRotation {
  /** For how long the old value goes on working. Missing: it is refused from its next request on */
  readonly grace_seconds?: number | undefined
}

/** A question, and what became of it */
export interface Approval {
  /** The run that ended on the question */
  readonly question_run_id: string
  /** The question */
  readonly question: string | null
  /** The question's data */
  readonly interrupt: Readonly<Record<string, unknown>> | null
  /** When it was asked */
  readonly asked_at: string
  /** Its state */
  readonly status: "open" | "answered" | "cancelled"
  readonly answer: ApprovalAnswer | null
}

/** The answer to a question */
export interface ApprovalAnswer {
  /** The run that the answer set going */
  readonly run_id: string
  /** The answer */
  readonly message: string | null
  /** The decision and the data that came with it, if any */
  readonly reply: unknown
  /** When it was answered */
  readonly answered_at: string
}

/** One try */
export interface Attempt {
  /** 1 for the first */
  readonly number: number
  /** When it was sent */
  readonly attempted_at: string
  /** How long that took, in milliseconds */
  readonly duration_ms: number
  /** The status of the answer; null when there was none */
  readonly response_code: number | null
  /** Why there was no answer */
  readonly error: string | null
  /** The beginning of the answer, up to 1 KiB */
  readonly response_excerpt: string | null
  /** The address it was sent to */
  readonly remote_ip: string | null
}

/** How the month's cap stands. Of a past month: as it was when a request was last admitted in it */
export interface BillingCap {
  readonly monthly_cap_usd: string | null
  /** The amount that counts against it at this moment */
  readonly spent_usd: string
  readonly remaining_usd: string | null
  readonly reached_at: string | null
  /** When the next month begins */
  readonly resets_at: string
}

/** Costs of a day */
export interface BillingDay {
  /** The day, as in 2026-11-21, in the workspace's time zone */
  readonly date: string
  /** Runs that ended */
  readonly runs: number
  /** Requests to model providers, failed ones and retries included */
  readonly requests: number
  /** The cost recorded until the days were final, without adjustments */
  readonly cost_usd: string
  /** Of it, the part that the workspace's own provider keys paid for */
  readonly byok_cost_usd: string
  /** Of it, the part that the platform's keys paid for */
  readonly platform_cost_usd: string
  /** Requests without a known price: they are not in the cost */
  readonly unpriced_requests: number
  /** Costs that arrived after a day was final, and corrections since; it may be below zero */
  readonly adjustments_usd: string
  /** final from 24 hours after its end; then only `adjustments_usd` and `revision` change */
  readonly status: "provisional" | "final"
  /** How often it was adjusted */
  readonly revision: number
  /** With group_by: its parts, the dearest first: of a month the dearest 1,000, and the rest of each day */
  readonly groups?: ReadonlyArray<BillingGroup> | undefined
}

/** A part of a day, with what was recorded after it was final: `cost_usd` and `adjustments_usd` of the day in one */
export interface BillingGroup {
  /** The value of the first of `group_by`; null where there is none */
  readonly key: string | null
  /** By model: as it was asked for */
  readonly model?: string | null | undefined
  /** By provider */
  readonly provider?: string | null | undefined
  /** By agent: its id */
  readonly agent_id?: string | null | undefined
  /** By agent: its present name */
  readonly agent_name?: string | null | undefined
  /** By whose provider key paid: the workspace's own or the platform's */
  readonly key_source?: "byok" | "platform" | null | undefined
  /** By workspace: its id */
  readonly workspace_id?: string | null | undefined
  /** By workspace: its present name */
  readonly workspace_name?: string | null | undefined
  /** Whether it adds up everything beyond the dearest 1,000; each of its keys is null */
  readonly other: boolean
  /** Requests to model providers, failed ones and retries included */
  readonly requests: number
  /** Tokens read, cache reads and writes included */
  readonly input_tokens: number
  /** Of these, read from a cache */
  readonly cache_read_tokens: number
  /** Of these, written to a cache */
  readonly cache_write_tokens: number
  /** Tokens written, reasoning included */
  readonly output_tokens: number
  /** Of these, reasoning */
  readonly reasoning_tokens: number
  /** Their cost, as far as their prices are known */
  readonly cost_usd: string
  /** Of it, the part that the workspace's own provider keys paid for */
  readonly byok_cost_usd: string
  /** Of it, the part that the platform's keys paid for */
  readonly platform_cost_usd: string
  /** Requests without a known price: they are not in the cost */
  readonly unpriced_requests: number
}

/** Costs of a month, day by day */
export interface BillingMonth {
  /** The IANA time zone that its days follow */
  readonly timezone: string
  /** The month, as in 2026-11 */
  readonly period: string
  /** closed once every day of it is final */
  readonly status: "open" | "closed"
  /** Everything that was recorded before this time is counted */
  readonly as_of: string
  /** Of every amount */
  readonly currency: "USD"
  readonly cap: BillingCap
  /** Every day of the month that has begun */
  readonly items: ReadonlyArray<BillingDay>
  readonly totals: BillingTotals
}

/** Sums over the days. The month costs `cost_usd` plus `adjustments_usd` */
export interface BillingTotals {
  /** Runs that ended */
  readonly runs: number
  /** Requests to model providers, failed ones and retries included */
  readonly requests: number
  /** The cost recorded until the days were final, without adjustments */
  readonly cost_usd: string
  /** Of it, the part that the workspace's own provider keys paid for */
  readonly byok_cost_usd: string
  /** Of it, the part that the platform's keys paid for */
  readonly platform_cost_usd: string
  /** Requests without a known price: they are not in the cost */
  readonly unpriced_requests: number
  /** Costs that arrived after a day was final, and corrections since; it may be below zero */
  readonly adjustments_usd: string
}

/** How the caller was recognised */
export interface CallerAuth {
  /** How the caller was recognised */
  readonly method: "api_key" | "org_api_key" | "oauth_session"
  /** The key's id */
  readonly key_id: string | null
  /** The key's name */
  readonly key_name: string | null
  /** Scopes of the key */
  readonly scopes: ReadonlyArray<"runs:read" | "runs:write" | "agents:read" | "agents:write" | "schedules:read" | "schedules:write" | "keys:read" | "keys:write" | "byok:read" | "byok:write" | "tool_secrets:read" | "tool_secrets:write" | "analytics:read" | "feeds:read" | "feeds:write" | "webhooks:read" | "webhooks:write" | "org:admin" | "data:erase">
  readonly expires_at: string | null
  /** The identity provider of a session */
  readonly provider: string | null
}

/** The data of `cancel.requested` in a run's log */
export interface CancelRequestedLogData {
  /** The reason that was given */
  readonly reason: string | null
  /** Whether its agent may end by itself first */
  readonly mode: "graceful" | "immediate"
}

/** `cancel.requested` in a run's log */
export interface CancelRequestedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "cancel.requested"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: CancelRequestedLogData
}

/** `cancel.requested` in the timeline of a record */
export interface CancelRequestedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "cancel.requested"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: CancelRequestedLogData
}

/** A run that was cancelled */
export interface CancelledRun {
  /** The run */
  readonly run_id: string
  /** Final */
  readonly status: "cancelled"
}

/** A run that executes and is to be cancelled */
export interface CancellingRun {
  /** The run */
  readonly run_id: string
  /** It becomes `cancelled` and nothing else */
  readonly status: "running"
  /** Since when it is to be cancelled */
  readonly cancel_requested_at: string
}

/** A paused run whose question can no longer be answered */
export interface ClosedQuestion {
  /** The run */
  readonly run_id: string
}

/** A new key with its value */
export interface CreatedApiKey {
  /** The key's id */
  readonly id: string
  /** Purpose of the key */
  readonly name: string
  /** The part of the key that may always be shown */
  readonly hint: string
  /** Whose key it is: one workspace's or the organization's */
  readonly kind: "workspace" | "organization"
  /** The key's workspace; null for an organization key */
  readonly workspace_id: string | null
  /** Scopes of the key */
  readonly scopes: ReadonlyArray<"runs:read" | "runs:write" | "agents:read" | "agents:write" | "schedules:read" | "schedules:write" | "keys:read" | "keys:write" | "byok:read" | "byok:write" | "tool_secrets:read" | "tool_secrets:write" | "analytics:read" | "feeds:read" | "feeds:write" | "webhooks:read" | "webhooks:write" | "org:admin" | "data:erase">
  /** The networks that the key may be used from; none for everywhere */
  readonly allowed_ips: ReadonlyArray<string>
  /** How often the key may be used; null for no limit */
  readonly rate_limit: RateLimit | null
  /** active: accepted. rotating: another key took its place (`replaced_by`), and it is accepted until `expires_at`. disabled: switched off. No other than the first two is accepted */
  readonly status: "active" | "rotating" | "disabled" | "revoked" | "expired"
  /** Counts the changes of the key, its uses excepted. For `If-Match` */
  readonly version: number
  /** When the key was created */
  readonly created_at: string
  readonly created_by: Creator
  readonly expires_at: string | null
  readonly last_used_at: string | null
  /** The key that took its place; null for none */
  readonly replaced_by: string | null
  /** For a grant, the session that it ends with; null for every other key */
  readonly session_id: string | null
  /** The caller's own pairs */
  readonly metadata: Readonly<Record<string, string>>
  /** The key's value. Shown this once: null when the request is repeated under its Idempotency-Key */
  readonly key: string | null
}

/** Who created the key */
export interface Creator {
  /** Kind of actor */
  readonly type: "user" | "agent" | "system"
  /** The actor's id */
  readonly id: string
  /** The actor's name at the time */
  readonly label: string
}

/** The workspace of a request */
export interface CurrentWorkspace {
  /** The workspace's id */
  readonly id: string
  /** Name of the workspace. Need not be unique */
  readonly name: string
  /** The organization's id */
  readonly organization_id: string
  /** The time zone that holds now; days and months of usage follow it */
  readonly timezone: string
  /** The time zone that was chosen for the months to come; null when none was */
  readonly next_timezone: NextTimezone | null
  /** When the workspace was created */
  readonly created_at: string
  readonly spend_cap: SpendCap
}

/** An agent that was deleted; its past runs stay */
export interface DeletedAgent {
  /** The agent's id */
  readonly agent_id: string
  /** No run of it can be triggered any more */
  readonly status: "archived"
  /** When it was deleted */
  readonly archived_at: string
}

/** An inbound URL that was deleted */
export interface DeletedAgentWebhook {
  /** The agent that it set going */
  readonly agent_id: string
  /** It accepts nothing any more */
  readonly status: "deleted"
  /** When it was deleted */
  readonly deleted_at: string
}

/** A schedule that was deleted; its runs stay */
export interface DeletedSchedule {
  /** The schedule's id */
  readonly id: string
  readonly status: "deleted"
}

/** A template that was deleted with its value */
export interface DeletedTemplate {
  /** The template's id */
  readonly id: string
  readonly status: "deleted"
}

/** A secret that was deleted with its value */
export interface DeletedToolSecret {
  /** The secret's id */
  readonly id: string
  readonly status: "deleted"
}

/** One event on its way to one endpoint */
export interface Delivery {
  /** The delivery's id, unique within its endpoint: that of the event */
  readonly delivery_id: string
  /** The event's id */
  readonly event_id: string
  /** The kind of event */
  readonly event_type: string
  /** pending until it settles as delivered or dead */
  readonly state: "pending" | "delivered" | "dead"
  /** Why it is dead */
  readonly state_reason: "retries_exhausted" | "endpoint_deleted" | "endpoint_disabled" | null
  /** How often it was sent */
  readonly attempt_count: number
  readonly next_attempt_at: string | null
  /** When it came to be */
  readonly created_at: string
  readonly delivered_at: string | null
  /** The newest tries, at most 20, oldest first */
  readonly attempts: ReadonlyArray<Attempt>
}

/** Deliveries of an endpoint */
export interface DeliveryList {
  /** By the time of their events, newest first */
  readonly items: ReadonlyArray<Delivery>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** A webhook endpoint without its secret */
export interface Endpoint {
  /** The endpoint's id */
  readonly id: string
  /** Where events are sent */
  readonly url: string
  /** The kinds of events that are sent. Empty for `run.succeeded`, `run.paused`, `run.failed`, `run.cancelled`, `credential.revoked`, `workspace.cap_reached`, and for nothing else */
  readonly event_types: ReadonlyArray<string>
  /** The workspaces whose events are sent. Empty for all, and for events about the organization itself */
  readonly workspace_ids: ReadonlyArray<string>
  /** Purpose of the endpoint */
  readonly description: string | null
  /** Only an active endpoint is sent anything */
  readonly status: "active" | "disabled" | "deleted"
  /** Why it is disabled: `disabled_by_request`, or `failing` after 120 hours of nothing but failures */
  readonly disabled_reason: string | null
  /** When it was registered */
  readonly created_at: string
}

/** Webhook endpoints, newest first */
export interface EndpointPage {
  /** Newest first */
  readonly items: ReadonlyArray<Endpoint>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** Something that is deleted for good. It holds ids and counts alone, and is kept */
export interface Erasure {
  /** The erasure's id */
  readonly id: string
  /** The kind of what is erased */
  readonly kind: "run" | "session" | "agent" | "workspace" | "organization" | "person"
  /** The id of what is erased */
  readonly resource_id: string
  /** pending: what is erased is closed, and no worker has begun. running: it is being erased. done: nothing of it is left, and that is final. failed: it was given up after many failures, and can be asked for again */
  readonly state: "pending" | "running" | "done" | "failed"
  /** By kinds of things, such as `runs`, `log_entries`, `events`, `deliveries`, `activity` */
  readonly counts: Readonly<Record<string, ErasureProgress>>
  /** When it was asked for */
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

/** A count of all that an erasure would delete. Nothing was changed */
export interface ErasurePreview {
  /** The kind of what is erased */
  readonly kind: "run" | "session" | "agent" | "workspace" | "organization" | "person"
  /** The id of what is erased */
  readonly resource_id: string
  /** How many things of each kind there are now; null where there are more than 100,000, or where they belong to more runs, workspaces or events than are looked through, however few they are */
  readonly counts: Readonly<Record<string, number | null>>
}

/** How many things of a kind are gone, and of how many */
export interface ErasureProgress {
  /** How many are gone */
  readonly done: number
  /** How many there were when it began; null for more than were counted */
  readonly total: number | null
}

/** A tool that the caller of a run answers */
export interface FunctionTool {
  /** Its name */
  readonly name: string
  /** What it does */
  readonly description: string
  /** The JSON schema of its arguments */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The outcome of a request to an inbound URL */
export interface HookReceipt {
  /** The run that it triggered; in a repetition the one from before */
  readonly run_id: string
  /** The session of that run */
  readonly session_id: string
}

/** Usage by the hour */
export interface HourlyUsage {
  /** The IANA time zone in which the hours are full ones: the workspace's, or UTC for an organization */
  readonly timezone: string
  /** Everything that was recorded before this time is counted */
  readonly as_of: string
  /** Every hour that has begun, oldest first, those included in which there was nothing */
  readonly items: ReadonlyArray<UsageHour>
}

/** Signature that proves the record unaltered, over its RFC 8785 form without this member */
export interface Integrity {
  /** How it is signed */
  readonly algorithm: "ed25519"
  /** The SHA-256, in hex, of the RFC 8785 form of the record without this member */
  readonly sha256: string
  /** The signature of that form */
  readonly signature: string
  /** Which of /.well-known/agent-platform-keys.json verifies it */
  readonly key_id: string
}

/** The data of `interrupt.requested` in a run's log */
export interface InterruptRequestedLogData {
  /** The question */
  readonly message: string
  /** The ids under which the log has the calls that wait, in the order of the interrupt's `calls`, of a chat */
  readonly tool_call_ids?: ReadonlyArray<string> | undefined
  /** True where the data was larger than 64 KiB: the beginnings of its texts are left of it */
  readonly truncated?: boolean | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `interrupt.requested` in a run's log */
export interface InterruptRequestedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "interrupt.requested"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: InterruptRequestedLogData
}

/** `interrupt.requested` in the timeline of a record */
export interface InterruptRequestedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "interrupt.requested"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: InterruptRequestedLogData
}

/** Who invited the person */
export interface Inviter {
  /** Kind of actor */
  readonly type: "user" | "agent" | "system"
  /** The actor's id */
  readonly id: string
  /** The actor's name at the time */
  readonly label: string
}

/** The run that joined the session last */
export interface LatestRun {
  /** The run */
  readonly run_id: string
  /** Its state */
  readonly status: "queued" | "running" | "succeeded" | "failed" | "cancelled"
  /** Whether it ended on a question */
  readonly paused: boolean
}

/** The data of `llm.request` in a run's log */
export interface LlmRequestLogData {
  /** The request's id, as in the run's costs */
  readonly request_id: string
  /** The provider that was asked; not for a browser key, nor in a record without costs */
  readonly provider?: string | undefined
  /** The model that was asked for; left out as `provider` is */
  readonly request_model?: string | undefined
  /** The model that the provider says answered */
  readonly response_model?: string | null | undefined
  /** How it ended */
  readonly status: "ok" | "error" | "aborted"
  /** Why it failed */
  readonly error_code?: string | null | undefined
  /** Why the answer ended; null where no end of it was seen */
  readonly finish_reason?: "stop" | "length" | "tool_calls" | "content_filter" | "other" | null | undefined
  /** Whose key paid: the workspace's own or the platform's */
  readonly key_source?: "byok" | "platform" | undefined
  /** The workspace's key that paid */
  readonly key_id?: string | null | undefined
  /** When it was sent */
  readonly started_at?: string | undefined
  /** How long it took, in milliseconds */
  readonly duration_ms?: number | undefined
  /** How long until the first token, in milliseconds */
  readonly time_to_first_token_ms?: number | null | undefined
  /** Tokens read; null where the provider did not count */
  readonly input_tokens?: number | null | undefined
  /** Of these, read from a cache */
  readonly cache_read_tokens?: number | null | undefined
  /** Of these, written to a cache */
  readonly cache_write_tokens?: number | null | undefined
  /** Tokens written, reasoning included */
  readonly output_tokens?: number | null | undefined
  /** Of these, reasoning */
  readonly reasoning_tokens?: number | null | undefined
  /** Who counted the tokens; estimated: nobody did */
  readonly usage_source?: "provider" | "estimated" | undefined
  /** The cost in USD; null where the price is not known */
  readonly cost_usd?: string | null | undefined
  /** True where the data was larger than 64 KiB: the beginnings of its texts are left of it */
  readonly truncated?: boolean | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `llm.request` in a run's log */
export interface LlmRequestLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "llm.request"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: LlmRequestLogData
}

/** `llm.request` in the timeline of a record */
export interface LlmRequestTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "llm.request"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: LlmRequestLogData
}

/** The data of `log` in a run's log */
export interface LogLogData {
  /** The words */
  readonly message?: string | undefined
  /** More about it, of an agent */
  readonly data?: unknown | undefined
  /** The model's provider, where the words are about it */
  readonly provider?: string | undefined
  /** True where the words are about the model's provider. Who sees no costs sees neither */
  readonly about_provider?: boolean | undefined
  /** True where the data was larger than 64 KiB: the beginnings of its texts are left of it */
  readonly truncated?: boolean | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `log` in a run's log */
export interface LogLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "log"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: LogLogData
}

/** `log` in the timeline of a record */
export interface LogTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "log"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: LogLogData
}

/** An identity provider that people can log in through */
export interface LoginProvider {
  /** Its name, as it stands in the addresses of logins */
  readonly provider: string
  /** Where a browser begins a login */
  readonly login_url: string
}

/** The identity providers that are configured */
export interface LoginProviderList {
  /** In the order in which the operator has listed them */
  readonly items: ReadonlyArray<LoginProvider>
}

/** A session of the person */
export interface LoginSession {
  /** The session's id */
  readonly id: string
  /** The organization that the session is with */
  readonly organization_id: string
  /** The identity provider that the person came through */
  readonly provider: string
  /** When the person logged in */
  readonly created_at: string
  /** When the session was last used, to the minute */
  readonly last_seen_at: string
  /** When the session ends if it is not used again */
  readonly expires_at: string
  /** The browser, as it called itself at the login, cut to 256 characters */
  readonly user_agent: string | null
  /** The network address of the login */
  readonly ip: string | null
  /** Whether it is the session that asks */
  readonly current: boolean
}

/** Sessions, newest first */
export interface LoginSessionPage {
  /** Newest first, open ones only */
  readonly items: ReadonlyArray<LoginSession>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** A server of tools */
export interface McpServer {
  /** Its name */
  readonly name: string
  /** Where it is */
  readonly url: string
  /** Whether headers are kept for it; they are not shown */
  readonly has_headers: boolean
  /** The tools of the server that the model gets; null for all */
  readonly tools: ReadonlyArray<string> | null
}

/** The current caller */
export interface Me {
  readonly auth: CallerAuth
  readonly workspace: WorkspaceName | null
  readonly organization: OrganizationName
  readonly user: UserName | null
  /** For unsafe requests of a session; null for a key */
  readonly csrf_token: string | null
}

/** A person in the organization */
export interface Member {
  /** The member's id */
  readonly id: string
  /** The address that was invited */
  readonly email: string
  /** The role in the whole organization; null for workspaces only */
  readonly organization_role: "owner" | "admin" | null
  /** Roles in single workspaces, each named once. Must not be empty where there is no `organization_role` */
  readonly workspaces: ReadonlyArray<WorkspaceGrant>
  /** joined once a person has logged in with the address. An invitation by an API key is lapsed once that key is not accepted any more: it can only be taken up after it is made again */
  readonly status: "invited" | "lapsed" | "joined"
  /** The person who took the invitation up; null while it is open */
  readonly user: MemberUser | null
  readonly invited_by: Inviter
  /** When the person was invited */
  readonly invited_at: string
  readonly joined_at: string | null
}

/** Members, newest first */
export interface MemberPage {
  /** Newest first, joined or only invited */
  readonly items: ReadonlyArray<Member>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** The person who took the invitation up */
export interface MemberUser {
  /** The user's id */
  readonly id: string
  /** The user's name */
  readonly name: string
}

/** Something that was said in a session */
export interface Message {
  /** The message's id */
  readonly message_id: string
  /** The session */
  readonly session_id: string
  /** The run that it belongs to */
  readonly run_id: string
  /** Who said it: the caller, or the agent */
  readonly role: "user" | "agent"
  /** The text */
  readonly message: string
  /** The decision of a reply */
  readonly decision: string | null
  /** The data of a reply */
  readonly data: unknown
  /** Whether the agent asks and waits for a reply */
  readonly question: boolean
  /** When it was said */
  readonly created_at: string
}

/** A message that was accepted */
export interface MessageAccepted {
  /** The message's id */
  readonly message_id: string
  /** The session */
  readonly session_id: string
  /** The run that takes the message up and reports its own outcome */
  readonly run_id: string
  /** The paused run that it answers; null for an ordinary turn */
  readonly resumes_run_id: string | null
  /** The state of the new run */
  readonly status: "queued" | "running" | "succeeded" | "failed" | "cancelled"
  readonly run: Run
}

/** The data of `message.completed` in a run's log */
export interface MessageCompletedLogData {
  /** The words */
  readonly text: string
  /** The model request that they come from, of a chat */
  readonly request_id?: string | undefined
  /** True where the data was larger than 64 KiB: the beginnings of its texts are left of it */
  readonly truncated?: boolean | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `message.completed` in a run's log */
export interface MessageCompletedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "message.completed"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: MessageCompletedLogData
}

/** `message.completed` in the timeline of a record */
export interface MessageCompletedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "message.completed"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: MessageCompletedLogData
}

/** The data of `message.delta` in a run's log */
export interface MessageDeltaLogData {
  /** The words */
  readonly text: string
  /** The model request that they come from, of a chat */
  readonly request_id?: string | undefined
  /** True where the data was larger than 64 KiB: the beginnings of its texts are left of it */
  readonly truncated?: boolean | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `message.delta` in a run's log */
export interface MessageDeltaLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "message.delta"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: MessageDeltaLogData
}

/** Messages of a session, newest first */
export interface MessagePage {
  /** Newest first */
  readonly items: ReadonlyArray<Message>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** The data of `message.received` in a run's log */
export interface MessageReceivedLogData {
  /** The reply's id */
  readonly message_id: string
  /** The reply; empty where it only says something to calls */
  readonly message: string
  /** Its decision */
  readonly decision?: string | null | undefined
  /** Its data */
  readonly data?: unknown | undefined
  /** The calls that it gives results of */
  readonly tool_results?: ReadonlyArray<{
    /** The call, as in the question's `calls` */
    readonly tool_call_id: string
    /** Why it failed; left out where it did not */
    readonly error?: string | undefined
  }> | undefined
  /** The decisions about calls */
  readonly approvals?: ReadonlyArray<{
    /** The call, as in the question's `calls` */
    readonly tool_call_id: string
    /** Whether it is made */
    readonly decision: "approve" | "deny"
    /** Why; left out where none was given */
    readonly reason?: string | undefined
  }> | undefined
  /** True where the data was larger than 64 KiB: the beginnings of its texts are left of it */
  readonly truncated?: boolean | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `message.received` in a run's log */
export interface MessageReceivedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "message.received"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: MessageReceivedLogData
}

/** `message.received` in the timeline of a record */
export interface MessageReceivedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "message.received"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: MessageReceivedLogData
}

/** A tool by its name */
export interface NamedTool {
  /** The name of a tool */
  readonly name: string
}

/** An agent to create */
export interface NewAgent {
  /** The agent's name */
  readonly name: string
  /** A recipe that is registered in the deployment, such as chat, http or demo */
  readonly recipe?: string | undefined
  readonly description?: string | null | undefined
  /** Further recipes that a run may name */
  readonly recipes?: ReadonlyArray<string> | undefined
  readonly model?: string | null | undefined
  readonly instructions?: string | null | undefined
  /** Tools that the recipe may use; for chat `ask_user` and `http_request` */
  readonly tools?: ReadonlyArray<string> | undefined
  readonly temperature?: number | null | undefined
  readonly top_p?: number | null | undefined
  readonly max_output_tokens?: number | null | undefined
  readonly stop?: ReadonlyArray<string> | null | undefined
  readonly seed?: number | null | undefined
  readonly reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null | undefined
  readonly tool_choice?: "auto" | "none" | "required" | NewNamedTool | null | undefined
  readonly parallel_tool_calls?: boolean | null | undefined
  readonly output_schema?: Readonly<Record<string, unknown>> | null | undefined
  readonly provider_options?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null | undefined
  readonly prompt_cache?: "auto" | "off" | null | undefined
  /** Tools that the caller of a run answers, for the recipe chat */
  readonly function_tools?: ReadonlyArray<NewFunctionTool> | undefined
  /** Tools that somebody has to approve of before each call, by the names that the model has for them; `*` for all */
  readonly approvals?: ReadonlyArray<string> | undefined
  /** The settings that a run, or a reply, may have for itself by a member of the same name */
  readonly overridable?: ReadonlyArray<"model" | "instructions" | "tools" | "temperature" | "top_p" | "max_output_tokens" | "stop" | "seed" | "reasoning_effort" | "tool_choice" | "parallel_tool_calls" | "output_schema" | "provider_options" | "prompt_cache"> | undefined
  /** Servers of tools (MCP over HTTP) that the recipe chat may use */
  readonly mcp_servers?: ReadonlyArray<NewMcpServer> | undefined
  readonly endpoint?: NewAgentEndpoint | null | undefined
  readonly max_cost_usd?: string | null | undefined
  readonly input_schema?: Readonly<Record<string, unknown>> | null | undefined
}

/** Where an agent of one's own is reached */
export interface NewAgentEndpoint {
  /** Where the recipe http calls the agent: HTTPS at public addresses, or what the operator admits, as `npm start` does loopback addresses */
  readonly url: string
  /** Makes a new signing secret for a URL that stays the same, too */
  readonly rotate_secret?: boolean | undefined
  /** With rotate_secret: how long the secret before signs as well, in seconds. A day unless given */
  readonly grace_seconds?: number | undefined
}

/** An inbound URL to create, in place of the one that there may be */
export interface NewAgentWebhook {
  /** How requests show where they come from. `"none"` when missing. */
  readonly verification?: "none" | "stripe" | "github" | "standard-webhooks" | undefined
  readonly secret?: string | null | undefined
  readonly map?: Readonly<Record<string, string>> | null | undefined
}

/** A key to create */
export interface NewApiKey {
  /** Purpose of the key */
  readonly name: string
  /** Scopes of the key; never more than the caller can grant, else 403. Missing: all scopes that a key of this kind can have and the caller can grant, but `data:erase`, which must be named */
  readonly scopes?: ReadonlyArray<"runs:read" | "runs:write" | "agents:read" | "agents:write" | "schedules:read" | "schedules:write" | "keys:read" | "keys:write" | "byok:read" | "byok:write" | "tool_secrets:read" | "tool_secrets:write" | "analytics:read" | "feeds:read" | "feeds:write" | "webhooks:read" | "webhooks:write" | "org:admin" | "data:erase"> | undefined
  readonly expires_at?: string | null | undefined
  readonly expires_in_seconds?: number | null | undefined
  /** The networks that the key may be used from, each inside one of those of the key that makes it; none for everywhere. Missing: those of the key that makes it */
  readonly allowed_ips?: ReadonlyArray<string> | undefined
  readonly rate_limit?: NewRateLimit | null | undefined
  /** Up to 16 pairs of the caller's own: names of 1 to 64 characters, values of up to 500 */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** A browser key to make */
export interface NewBrowserKey {
  /** When the key ends at the latest, as seconds from now. `900` when missing. */
  readonly expires_in_seconds?: number | undefined
}

/** A delivery to send again */
export interface NewDeliveryReplay {
  readonly endpoint_id?: string | null | undefined
}

/** An endpoint to register */
export interface NewEndpoint {
  /** Where events are sent: HTTPS on a publicly resolvable host, else 422 `url_not_public` */
  readonly url: string
  /** The kinds of events to send. Empty for `run.succeeded`, `run.paused`, `run.failed`, `run.cancelled`, `credential.revoked`, `workspace.cap_reached`, and for nothing else: kinds of later versions are sent to endpoints that name them. `[]` when missing. */
  readonly event_types?: ReadonlyArray<"run.succeeded" | "run.paused" | "run.failed" | "run.cancelled" | "run.started" | "agent.paused_reminder" | "credential.revoked" | "byok.invalid" | "workspace.cap_reached" | "workspace.cap_near" | "webhook.disabled"> | undefined
  /** The workspaces whose events to send, and no events about the organization itself, such as `webhook.disabled`. Empty for all. `[]` when missing. */
  readonly workspace_ids?: ReadonlyArray<string> | undefined
  readonly description?: string | null | undefined
}

/** Changes of an endpoint; absent members stay as they are */
export interface NewEndpointDetails {
  /** Where events are sent: HTTPS on a publicly resolvable host, else 422 `url_not_public` */
  readonly url?: string | undefined
  /** The kinds of events to send. Empty for `run.succeeded`, `run.paused`, `run.failed`, `run.cancelled`, `credential.revoked`, `workspace.cap_reached`, and for nothing else: kinds of later versions are sent to endpoints that name them */
  readonly event_types?: ReadonlyArray<"run.succeeded" | "run.paused" | "run.failed" | "run.cancelled" | "run.started" | "agent.paused_reminder" | "credential.revoked" | "byok.invalid" | "workspace.cap_reached" | "workspace.cap_near" | "webhook.disabled"> | undefined
  /** The workspaces whose events to send, and no events about the organization itself, such as `webhook.disabled`. Empty for all */
  readonly workspace_ids?: ReadonlyArray<string> | undefined
  readonly description?: string | null | undefined
  /** Whether it is sent anything. Disabling makes waiting deliveries `dead` with `endpoint_disabled`; what is published before it is enabled again becomes `dead` in the same way */
  readonly status?: "active" | "disabled" | undefined
}

/** A document, at an address or as base64 */
export interface NewFilePart {
  /** The kind of part */
  readonly type: "file"
  /** Its HTTPS address, which its provider reads, or the platform for it */
  readonly url?: string | undefined
  /** It itself, as base64; 4 MiB in all parts together */
  readonly data?: string | undefined
  /** Its type */
  readonly media_type: "application/pdf" | "text/plain" | "text/markdown" | "text/csv"
  /** Its name, for the model */
  readonly filename?: string | undefined
}

/** A tool that the caller of a run answers */
export interface NewFunctionTool {
  /** The name of a tool */
  readonly name: string
  /** What it does and when to use it, for the model */
  readonly description: string
  /** The JSON schema of its arguments, which are an object: `{"type": "object", …}`. Calls that do not fit it are given back to the model */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** An image, at an address or as base64 */
export interface NewImagePart {
  /** The kind of part */
  readonly type: "image"
  /** Its HTTPS address, which its provider reads, or the platform for it */
  readonly url?: string | undefined
  /** It itself, as base64; 4 MiB in all parts together */
  readonly data?: string | undefined
  /** Its type; needed beside `data` */
  readonly media_type?: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | undefined
}

/** A server of tools that speaks the Model Context Protocol over HTTP */
export interface NewMcpServer {
  /** Name, unique within the agent */
  readonly name: string
  /** Where it is: HTTPS at public addresses, or what the operator admits, as `npm start` does loopback addresses */
  readonly url: string
  /** Sent with every request to it, such as a token. Write-only. Missing keeps those of the server that has this name and this URL already */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly tools?: ReadonlyArray<string> | null | undefined
}

/** The person to invite */
export interface NewMember {
  /** The address to invite. It is trimmed; upper and lower case are the same */
  readonly email: string
  readonly organization_role?: "owner" | "admin" | null | undefined
  /** Roles in single workspaces, each named once. Must not be empty where there is no `organization_role`. `[]` when missing. */
  readonly workspaces?: ReadonlyArray<NewWorkspaceGrant> | undefined
}

/** A message to a session */
export interface NewMessage {
  readonly message?: string | null | undefined
  readonly tool_results?: ReadonlyArray<NewToolResult> | null | undefined
  readonly approvals?: ReadonlyArray<NewToolApproval> | null | undefined
  readonly run_id?: string | null | undefined
  readonly decision?: string | null | undefined
  /** The structured answer, beside the text: any JSON of up to 256 KiB */
  readonly data?: unknown | undefined
  /** Texts, images and files that are sent with the message, for the recipe chat; up to 20 */
  readonly content?: ReadonlyArray<NewTextPart | NewImagePart | NewFilePart> | undefined
  readonly model?: string | null | undefined
  readonly instructions?: string | null | undefined
  readonly tools?: ReadonlyArray<string> | null | undefined
  readonly temperature?: number | null | undefined
  readonly top_p?: number | null | undefined
  readonly max_output_tokens?: number | null | undefined
  readonly stop?: ReadonlyArray<string> | null | undefined
  readonly seed?: number | null | undefined
  readonly reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null | undefined
  readonly tool_choice?: "auto" | "none" | "required" | NewNamedTool | null | undefined
  readonly parallel_tool_calls?: boolean | null | undefined
  readonly output_schema?: Readonly<Record<string, unknown>> | null | undefined
  readonly provider_options?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null | undefined
  readonly prompt_cache?: "auto" | "off" | null | undefined
  /** Up to 16 pairs of the caller's own: names of 1 to 64 characters, values of up to 500 */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Up to 10 tags of the caller's own, shown with the run */
  readonly tags?: ReadonlyArray<string> | undefined
  /** Handling of unfinished runs of the session: wait behind them, answer 409, or cancel all of them and go next. `"enqueue"` when missing. */
  readonly if_busy?: "enqueue" | "reject" | "interrupt" | undefined
  /** How long the answer may wait for the run to end. `0` when missing. */
  readonly wait_seconds?: number | undefined
}

/** A tool by its name */
export interface NewNamedTool {
  /** The name of a tool */
  readonly name: string
}

/** A client whose access tokens are sent, by the grant client_credentials */
export interface NewOAuthClient {
  /** The token endpoint: HTTPS at public addresses, unless the operator admits another for tools or MCP */
  readonly token_url: string
  /** The client's id at the authorization server */
  readonly client_id: string
  /** The client's secret. It is sealed, and never shown again */
  readonly client_secret: string
  readonly scope?: string | null | undefined
  /** How the client shows its secret. client_secret_basic: in the header Authorization; client_secret_post: in the body. `"client_secret_basic"` when missing. */
  readonly auth_method?: "client_secret_basic" | "client_secret_post" | undefined
}

/** A provider key to register */
export interface NewProviderKey {
  /** The key, as the provider has given it out; for vertex the key file of a service account in base64. It is sealed, and never shown again */
  readonly key: string
  readonly name?: string | null | undefined
  readonly base_url?: string | null | undefined
  readonly allowed_models?: ReadonlyArray<string> | null | undefined
  /** The lower goes first; of two that are equal, the older. `100` when missing. */
  readonly priority?: number | undefined
  /** The fallback when no key of the workspace can serve. none: nothing; while any key of the provider says so, the platform's key is never used. platform: the platform's key, if the workspace is allowed it. `"none"` when missing. */
  readonly fallback?: "none" | "platform" | undefined
  /** Whether the provider is asked first, by a call that costs nothing, if it takes the key. `true` when missing. */
  readonly validate?: boolean | undefined
}

/** A provider key that every workspace of the organization gets */
export interface NewProviderKeyTemplate {
  /** Whose models it is for */
  readonly provider: "openai" | "anthropic" | "google" | "azure" | "bedrock" | "vertex" | "openai_compatible"
  /** The key, as the provider has given it out; for vertex the key file of a service account in base64. It is sealed, and never shown again */
  readonly key: string
  readonly name?: string | null | undefined
  readonly base_url?: string | null | undefined
  readonly allowed_models?: ReadonlyArray<string> | null | undefined
  /** The lower goes first; of two that are equal, the older. `100` when missing. */
  readonly priority?: number | undefined
  /** The fallback when no key of the workspace can serve. none: nothing; while any key of the provider says so, the platform's key is never used. platform: the platform's key, if the workspace is allowed it. `"none"` when missing. */
  readonly fallback?: "none" | "platform" | undefined
  /** Whether the provider is asked first, by a call that costs nothing, if it takes the key. `true` when missing. */
  readonly validate?: boolean | undefined
}

/** How often the key may be used */
export interface NewRateLimit {
  /** Most requests at once; each comes back evenly over the window */
  readonly limit: number
  /** The seconds in which all of them come back */
  readonly window_seconds: number
}

/** Which notices to mark as read: `ids` or `all` */
export interface NewReadMark {
  /** These notices. Ids that the workspace does not see change nothing, nor do those that are read */
  readonly ids?: ReadonlyArray<string> | undefined
  /** All notices. Notices posted meanwhile stay unread */
  readonly all?: true | undefined
}

/** A range of deliveries to send again */
export interface NewReplay {
  /** Deliveries of events from this moment on */
  readonly since: string
  readonly until?: string | null | undefined
  /** dead: those that are dead. all: those in any state, delivered ones too. `"dead"` when missing. */
  readonly status?: "dead" | "all" | undefined
}

/** A run to trigger */
export interface NewRun {
  /** The agent that runs */
  readonly agent_id: string
  readonly recipe?: string | null | undefined
  readonly session_id?: string | null | undefined
  /** The agent's input: any JSON of up to 256 KiB, nested up to 100 levels deep */
  readonly input?: unknown | undefined
  readonly message?: string | null | undefined
  /** Texts, images and files that are sent with the message, for the recipe chat; up to 20 */
  readonly content?: ReadonlyArray<NewTextPart | NewImagePart | NewFilePart> | undefined
  readonly model?: string | null | undefined
  readonly instructions?: string | null | undefined
  readonly tools?: ReadonlyArray<string> | null | undefined
  readonly temperature?: number | null | undefined
  readonly top_p?: number | null | undefined
  readonly max_output_tokens?: number | null | undefined
  readonly stop?: ReadonlyArray<string> | null | undefined
  readonly seed?: number | null | undefined
  readonly reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null | undefined
  readonly tool_choice?: "auto" | "none" | "required" | NewNamedTool | null | undefined
  readonly parallel_tool_calls?: boolean | null | undefined
  readonly output_schema?: Readonly<Record<string, unknown>> | null | undefined
  readonly provider_options?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null | undefined
  readonly prompt_cache?: "auto" | "off" | null | undefined
  /** Up to 16 pairs of the caller's own: names of 1 to 64 characters, values of up to 500 */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Up to 10 tags of the caller's own, shown with the run */
  readonly tags?: ReadonlyArray<string> | undefined
  /** Of the workspace's runs that are due, a higher priority goes first. `0` when missing. */
  readonly priority?: number | undefined
  readonly run_at?: string | null | undefined
  readonly ttl_seconds?: number | null | undefined
  /** Fails as `timed_out` when one attempt takes longer. `3600` when missing. */
  readonly max_duration_seconds?: number | undefined
  /** How often it may begin when its worker is lost. `1` when missing. */
  readonly max_attempts?: number | undefined
  readonly max_cost_usd?: string | null | undefined
  /** Handling of unfinished runs of the session: wait behind them, answer 409, or cancel all of them and go next. `"enqueue"` when missing. */
  readonly if_busy?: "enqueue" | "reject" | "interrupt" | undefined
  /** How long the answer may wait for the run to end. `0` when missing. */
  readonly wait_seconds?: number | undefined
}

/** A schedule to create. Message, input, metadata and tags are those of its runs */
export interface NewSchedule {
  /** The agent that runs */
  readonly agent_id: string
  readonly name?: string | null | undefined
  /** A cron expression */
  readonly cron: string
  /** A time zone of the IANA database, on whose clock the expression is read */
  readonly timezone?: string | undefined
  readonly message?: string | null | undefined
  /** The agent's input: any JSON, nested up to 100 levels deep. Where the agent has an `input_schema` it must fit that */
  readonly input?: unknown | undefined
  /** Up to 16 pairs of the caller's own: names of 1 to 64 characters, values of up to 500 */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Up to 10 tags of the caller's own, shown with the run */
  readonly tags?: ReadonlyArray<string> | undefined
  /** What becomes of times for which a run could not be made within five minutes: `skip` makes none, `once` makes one for all of them, once it can. `"skip"` when missing. */
  readonly missed?: "skip" | "once" | undefined
  /** Whether it makes runs. Times while it does not are not made up for. `true` when missing. */
  readonly enabled?: boolean | undefined
}

/** A rotation of a signing secret */
export interface NewSecret {
  /** How long the secret before signs as well, in seconds. `86400` when missing. */
  readonly grace_seconds?: number | undefined
}

/** A test event to send */
export interface NewTestEvent {
  /** Of which kind there is to be a sample. `"run.succeeded"` when missing. */
  readonly event_type?: "run.succeeded" | "run.paused" | "run.failed" | "run.cancelled" | "run.started" | "agent.paused_reminder" | "credential.revoked" | "byok.invalid" | "workspace.cap_reached" | "workspace.cap_near" | "webhook.disabled" | undefined
}

/** A text */
export interface NewTextPart {
  /** The kind of part */
  readonly type: "text"
  /** The text */
  readonly text: string
}

/** A decision about a call */
export interface NewToolApproval {
  /** The `tool_call_id` of a call in the question's `interrupt` */
  readonly tool_call_id: string
  /** Whether the call is made */
  readonly decision: "approve" | "deny"
  readonly input?: Readonly<Record<string, unknown>> | null | undefined
  readonly reason?: string | null | undefined
}

/** The result of a call that the caller has made: its output, or why it failed */
export interface NewToolResult {
  /** The `tool_call_id` of a call in the question's `interrupt` */
  readonly tool_call_id: string
  /** The output: a text or any other JSON, of up to 65536 characters */
  readonly output?: unknown | undefined
  readonly error?: string | null | undefined
}

/** A secret to add: a header with its value, or an OAuth client whose access tokens are sent */
export interface NewToolSecret {
  /** Purpose of the secret; unique in the workspace */
  readonly name: string
  /** The hosts that it is sent to */
  readonly host_pattern: string
  readonly header?: string | null | undefined
  readonly value?: string | null | undefined
  readonly oauth?: NewOAuthClient | null | undefined
}

/** A grant to make */
export interface NewWebhookGrant {
  /** When the grant ends at the latest, as seconds from now. `43200` when missing. */
  readonly expires_in_seconds?: number | undefined
}

/** A workspace to create */
export interface NewWorkspace {
  /** Name of the workspace. Need not be unique */
  readonly name: string
  /** A time zone of the IANA database, such as Europe/Berlin, not an offset. Days and months of usage follow it. Missing: UTC */
  readonly timezone?: string | undefined
  readonly monthly_cap_usd?: string | null | undefined
  /** Whether model calls may be made with the platform's own provider keys, where those of the workspace allow it. `false` when missing. */
  readonly allow_platform_keys?: boolean | undefined
  readonly retention_days?: number | null | undefined
}

/** A role in a workspace */
export interface NewWorkspaceGrant {
  /** The workspace's id */
  readonly workspace_id: string
  /** The person's role there */
  readonly role: "member" | "viewer"
}

/** A time zone that will hold */
export interface NextTimezone {
  /** A time zone of the IANA database */
  readonly timezone: string
  /** When it begins to hold, which is the beginning of a month there */
  readonly starts_at: string
}

/** Something that a person should know */
export interface Notification {
  /** The notice's id */
  readonly id: string
  /** The subject: `run.failed`, `run.paused`, `credential.revoked`, `workspace.cap_reached`, `workspace.cap_near`, `webhook.endpoint_disabled`, `webhook.delivery_dead`, `api_key.expiring` */
  readonly type: string
  /** One line for a person */
  readonly title: string
  /** The notice's text */
  readonly body: string
  /** The ids of what it is about, by its type */
  readonly payload: Readonly<Record<string, unknown>>
  /** Whether it is marked as read in this workspace */
  readonly read: boolean
  /** When it was posted */
  readonly created_at: string
}

/** The notices of a workspace */
export interface NotificationList {
  /** The 50 most recent of those asked for, newest first */
  readonly items: ReadonlyArray<Notification>
  /** How many notices are unread, of all that are kept; exact */
  readonly unread_count: number
}

/** A client whose access tokens are sent; its secret is not shown */
export interface OAuthClient {
  /** The token endpoint */
  readonly token_url: string
  /** The client's id */
  readonly client_id: string
  /** The scopes that are asked for; null for those that the server gives */
  readonly scope: string | null
  /** How the client shows its secret. client_secret_basic: in the header Authorization; client_secret_post: in the body */
  readonly auth_method: "client_secret_basic" | "client_secret_post"
}

/** Changes of an OAuth client; absent members stay as they are */
export interface OAuthClientChange {
  /** The client's id at the authorization server */
  readonly client_id?: string | undefined
  /** A new secret of the client, which takes the place of the old one */
  readonly client_secret?: string | undefined
  readonly scope?: string | null | undefined
}

/** The latest question that was neither answered nor cancelled. Earlier ones may be open, too */
export interface OpenQuestion {
  /** The run */
  readonly run_id: string
  /** The question */
  readonly message: string | null
  /** The question's data, an object; null for a plain one. Of a chat its `type` says what it waits for: `question`, `tool_calls` or `approvals`. Where an agent pauses with anything but an object, that is the member `value` */
  readonly interrupt: Readonly<Record<string, unknown>> | null
  /** Whether the interrupt was dropped because it was larger than 32 KiB */
  readonly interrupt_truncated: boolean
  /** When it was asked */
  readonly asked_at: string
}

/** The latest question that was neither answered nor cancelled */
export interface OpenQuestionSummary {
  /** The run */
  readonly run_id: string
  /** The first 200 characters of the question */
  readonly message: string | null
  /** When it was asked */
  readonly asked_at: string
}

/** Costs of a month of all workspaces together, day by day: of each by the days of its own time zone */
export interface OrganizationBillingMonth {
  /** The month, as in 2026-11 */
  readonly period: string
  /** closed once every day of it is final */
  readonly status: "open" | "closed"
  /** Everything that was recorded before this time is counted */
  readonly as_of: string
  /** Of every amount */
  readonly currency: "USD"
  /** Every day of the month that has begun */
  readonly items: ReadonlyArray<BillingDay>
  readonly totals: BillingTotals
}

/** The organization of the credential */
export interface OrganizationName {
  /** Its id */
  readonly id: string
  /** Its name */
  readonly name: string
}

/** Usage of all workspaces of an organization together */
export interface OrganizationUsageSummary {
  /** The organization */
  readonly organization_id: string
  /** From this time on */
  readonly since: string
  /** And before this time */
  readonly until: string
  /** Everything that was recorded before this time is counted */
  readonly as_of: string
  /** Of every amount */
  readonly currency: "USD"
  readonly runs: RunOutcomes
  readonly usage: UsageSums
  /** Their cost, as far as their prices are known */
  readonly cost_usd: string
  /** Of it, the part that the workspace's own provider keys paid for */
  readonly byok_cost_usd: string
  /** Of it, the part that the platform's keys paid for */
  readonly platform_cost_usd: string
  /** Requests without a known price: they are not in the cost */
  readonly unpriced_requests: number
  /** With group_by: its parts, the dearest first, 1,000 at most */
  readonly groups?: ReadonlyArray<UsageGroup> | undefined
}

/** Milliseconds by the nearest rank, each within 5 % of the true ones */
export interface Percentiles {
  /** Half of them took no longer */
  readonly p50: number
  /** 95 of a hundred took no longer */
  readonly p95: number
  /** 99 of a hundred took no longer */
  readonly p99: number
}

/** One fault of a request */
export interface ProblemIssue {
  /** Where: a JSON pointer into the body, `?name` for a query parameter, a header's name otherwise */
  readonly pointer: string
  readonly code: "required" | "unknown_parameter" | "invalid_type" | "invalid_value"
  /** The fault, for people */
  readonly detail: string
}

/** A provider key without its value */
export interface ProviderKey {
  /** The key's id */
  readonly id: string
  /** Whose models it is for */
  readonly provider: "openai" | "anthropic" | "google" | "azure" | "bedrock" | "vertex" | "openai_compatible"
  /** Purpose of the key */
  readonly name: string
  /** The part of the key that may always be shown: at most four characters of each end, never more than a quarter of it together; `…` alone for one of fewer than eight */
  readonly hint: string
  /** 16 hexadecimal digits: the same wherever the same key is registered in this deployment, another for any other key. Only the deployment can compute it */
  readonly fingerprint: string
  /** The lower goes first */
  readonly priority: number
  /** The fallback when no key of the workspace can serve. none: nothing; while any key of the provider says so, the platform's key is never used. platform: the platform's key, if the workspace is allowed it */
  readonly fallback: "none" | "platform"
  /** The models that the key may be used for; null for all */
  readonly allowed_models: ReadonlyArray<string> | null
  /** Where azure, bedrock, vertex or an openai_compatible server is; else null */
  readonly base_url: string | null
  /** active: its provider takes it. unverified: not known yet. rate_limited, quota_exhausted: not now, so others go first. invalid: refused, and not used. revoked: erased */
  readonly status: "active" | "unverified" | "rate_limited" | "quota_exhausted" | "invalid" | "revoked"
  readonly limited_until: string | null
  /** Counts the changes of the key, its uses excepted. For `If-Match` */
  readonly version: number
  /** When the key was registered */
  readonly created_at: string
  readonly last_used_at: string | null
  readonly last_validated_at: string | null
  /** The last thing that went wrong with it; null once it works */
  readonly last_error: ProviderKeyError | null
}

/** Changes of a provider key; absent members stay as they are */
export interface ProviderKeyChange {
  /** Purpose of the key */
  readonly name?: string | undefined
  /** The lower goes first; of two that are equal, the older */
  readonly priority?: number | undefined
  /** The fallback when no key of the workspace can serve. none: nothing; while any key of the provider says so, the platform's key is never used. platform: the platform's key, if the workspace is allowed it */
  readonly fallback?: "none" | "platform" | undefined
  readonly allowed_models?: ReadonlyArray<string> | null | undefined
  /** A new value, which takes the place of the old one; that is erased */
  readonly key?: string | undefined
  /** Whether the provider is asked about a new value first. `true` when missing. */
  readonly validate?: boolean | undefined
}

/** The last thing that went wrong with a key */
export interface ProviderKeyError {
  /** The error, for programs */
  readonly code: "rejected" | "rate_limited" | "quota_exhausted" | "unreachable" | "unsupported"
  /** The status that the provider answered; null when there was no answer */
  readonly provider_status: number | null
  /** The provider's own code; null where it gave none that can be shown */
  readonly provider_code: string | null
  /** When that was */
  readonly at: string
}

/** Provider keys, newest first */
export interface ProviderKeyPage {
  /** Newest first, revoked ones included */
  readonly items: ReadonlyArray<ProviderKey>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** A template of provider keys without its value */
export interface ProviderKeyTemplate {
  /** The template's id */
  readonly id: string
  /** Counts the changes of the template. For `If-Match` */
  readonly version: number
  /** When the template was made */
  readonly created_at: string
  /** When it was last changed */
  readonly updated_at: string
  readonly spread: TemplateSpread
  /** Whose models it is for */
  readonly provider: "openai" | "anthropic" | "google" | "azure" | "bedrock" | "vertex" | "openai_compatible"
  /** Purpose of the key */
  readonly name: string
  /** The part of the key that may always be shown: at most four characters of each end, never more than a quarter of it together; `…` alone for one of fewer than eight */
  readonly hint: string
  /** 16 hexadecimal digits: the same wherever the same key is registered in this deployment, another for any other key. Only the deployment can compute it */
  readonly fingerprint: string
  /** The lower goes first */
  readonly priority: number
  /** The fallback when no key of the workspace can serve. none: nothing; while any key of the provider says so, the platform's key is never used. platform: the platform's key, if the workspace is allowed it */
  readonly fallback: "none" | "platform"
  /** The models that the key may be used for; null for all */
  readonly allowed_models: ReadonlyArray<string> | null
  /** Where azure, bedrock, vertex or an openai_compatible server is; else null */
  readonly base_url: string | null
  /** revoked: its value is erased, and with it that of every key that followed it */
  readonly status: "active" | "revoked"
  readonly last_validated_at: string | null
}

/** Templates of provider keys, newest first */
export interface ProviderKeyTemplatePage {
  /** Newest first */
  readonly items: ReadonlyArray<ProviderKeyTemplate>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** How often the key may be used */
export interface RateLimit {
  /** Most requests at once; each comes back evenly over the window */
  readonly limit: number
  /** The seconds in which all of them come back */
  readonly window_seconds: number
}

/** A workspace that the caller may look into */
export interface ReachableWorkspace {
  /** The workspace's id */
  readonly id: string
  /** Name of the workspace. Need not be unique */
  readonly name: string
  /** The person's role there; null for a key */
  readonly role: "owner" | "admin" | "member" | "viewer" | null
}

/** Workspaces, newest first */
export interface ReachableWorkspacePage {
  /** Newest first */
  readonly items: ReadonlyArray<ReachableWorkspace>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** The data of `reasoning.completed` in a run's log */
export interface ReasoningCompletedLogData {
  /** The words */
  readonly text: string
  /** The model request that they come from, of a chat */
  readonly request_id?: string | undefined
  /** True where the data was larger than 64 KiB: the beginnings of its texts are left of it */
  readonly truncated?: boolean | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `reasoning.completed` in a run's log */
export interface ReasoningCompletedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "reasoning.completed"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: ReasoningCompletedLogData
}

/** `reasoning.completed` in the timeline of a record */
export interface ReasoningCompletedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "reasoning.completed"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: ReasoningCompletedLogData
}

/** The data of `reasoning.delta` in a run's log */
export interface ReasoningDeltaLogData {
  /** The words */
  readonly text: string
  /** The model request that they come from, of a chat */
  readonly request_id?: string | undefined
  /** True where the data was larger than 64 KiB: the beginnings of its texts are left of it */
  readonly truncated?: boolean | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `reasoning.delta` in a run's log */
export interface ReasoningDeltaLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "reasoning.delta"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: ReasoningDeltaLogData
}

/** The agent that ran */
export interface RecordAgent {
  /** The agent's id */
  readonly agent_id: string
  /** The agent's name */
  readonly name: string
}

/** Something that was said */
export interface RecordMessage {
  /** Who said it */
  readonly role: "user" | "agent"
  /** The text */
  readonly text: string
  /** When it was said */
  readonly created_at: string
  /** False for what was still being said when the run ended */
  readonly is_complete: boolean
}

/** The run, with its cost and usage where these are included */
export interface RecordRun {
  /** The run's id */
  readonly run_id: string
  /** The session that it belongs to */
  readonly session_id: string
  /** The workspace that it belongs to */
  readonly workspace_id: string
  /** The agent that runs */
  readonly agent_id: string
  /** The recipe that executes it */
  readonly recipe: string
  /** succeeded, failed and cancelled are final */
  readonly status: "queued" | "running" | "succeeded" | "failed" | "cancelled"
  /** Whether it ended on a question; its status is succeeded then */
  readonly paused: boolean
  /** The agent's last message: on a paused run, the question */
  readonly message: string | null
  /** The question's data, an object; null for a plain one. Of a chat its `type` says what it waits for: `question`, `tool_calls` or `approvals`. Where an agent pauses with anything but an object, that is the member `value` */
  readonly interrupt: Readonly<Record<string, unknown>> | null
  /** Whether the interrupt was dropped because it was larger than 32 KiB */
  readonly interrupt_truncated: boolean
  /** The agent's input */
  readonly input: unknown
  /** The result: any JSON of up to 256 KiB and 100 levels. A larger one, or a larger `message`, fails the run as `output_too_large`; a deeper one, or a deeper `interrupt`, as `agent_error` */
  readonly result: unknown
  /** Why it failed, for people, in up to 500 characters */
  readonly error: string | null
  /** Why it failed, for programs */
  readonly error_code: "agent_error" | "invalid_input" | "timed_out" | "expired" | "worker_lost" | "provider_error" | "provider_rate_limited" | "credential_invalid" | "provider_key_missing" | "model_unpriced" | "cap_reached" | "call_exceeds_cap" | "output_too_large" | "internal_error" | null
  /** Why the last answer of its model ended. `length`: it reached its limit of tokens, and what there is of it is the result. Null for an agent without a model */
  readonly finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "other" | null
  /** How often its execution has begun. A worker that is stopped hands its runs back, and that does not count */
  readonly attempt: number
  /** How often it may begin */
  readonly max_attempts: number
  readonly trigger: RunTrigger
  /** The paused run that this one answers */
  readonly resumes_run_id: string | null
  /** The run that answered this one's question */
  readonly resumed_by_run_id: string | null
  /** When it was triggered */
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly cancel_requested_at: string | null
  /** The caller's own pairs */
  readonly metadata: Readonly<Record<string, string>>
  /** The caller's own tags */
  readonly tags: ReadonlyArray<string>
  readonly usage?: Usage | undefined
  /** The cost of its model calls so far, in USD; a call without a known price costs nothing here. It may grow after the end, by calls that are settled later */
  readonly cost_usd?: string | undefined
}

/** A place where secrets were redacted */
export interface Redaction {
  /** Where, as a JSON pointer */
  readonly pointer: string
  /** The form of the secret. Detected are API keys of this service and of model providers, webhook secrets, tokens, passwords in URLs and private keys; a secret without a recognizable form stays. The agent's result was redacted earlier, and is not listed */
  readonly kind: string
  /** How often, in this place */
  readonly count: number
}

/** A new webhook endpoint with its secret */
export interface RegisteredEndpoint {
  /** The endpoint's id */
  readonly id: string
  /** Where events are sent */
  readonly url: string
  /** The kinds of events that are sent. Empty for `run.succeeded`, `run.paused`, `run.failed`, `run.cancelled`, `credential.revoked`, `workspace.cap_reached`, and for nothing else */
  readonly event_types: ReadonlyArray<string>
  /** The workspaces whose events are sent. Empty for all, and for events about the organization itself */
  readonly workspace_ids: ReadonlyArray<string>
  /** Purpose of the endpoint */
  readonly description: string | null
  /** Only an active endpoint is sent anything */
  readonly status: "active" | "disabled" | "deleted"
  /** Why it is disabled: `disabled_by_request`, or `failing` after 120 hours of nothing but failures */
  readonly disabled_reason: string | null
  /** When it was registered */
  readonly created_at: string
  /** The signing secret. Shown this once: null when the request is repeated under its Idempotency-Key */
  readonly secret: string | null
}

/** Who is no member any more */
export interface RemovedMember {
  /** The member's id */
  readonly id: string
  /** The address that was invited */
  readonly email: string
  readonly status: "removed"
}

/** A key whose place another takes */
export interface ReplacedApiKey {
  /** The key's id */
  readonly id: string
  readonly status: "rotating"
  /** When the old value stops working */
  readonly expires_at: string
}

/** A range of deliveries on its way to being sent again */
export interface Replay {
  /** The replay's id */
  readonly id: string
  /** The endpoint that deliveries are sent to again */
  readonly endpoint_id: string
  /** pending: no worker has taken it up yet. running: deliveries of events up to `progressed_to` are due or sent. completed: all of them are; whether they arrived, the deliveries say. stopped: the endpoint was disabled or deleted meanwhile. The last two are final */
  readonly state: "pending" | "running" | "completed" | "stopped"
  /** Why it stopped */
  readonly state_reason: "endpoint_deleted" | "endpoint_disabled" | null
  /** Deliveries of events from this moment on */
  readonly since: string
  /** Deliveries of events before this moment */
  readonly until: string
  /** Which of them */
  readonly status: "dead" | "all"
  /** How many deliveries were made due so far */
  readonly replayed_count: number
  readonly progressed_to: string | null
  /** When it was asked for */
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

/** Replays of ranges, newest first */
export interface ReplayPage {
  /** Newest first */
  readonly items: ReadonlyArray<Replay>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** A key that works no more */
export interface RevokedApiKey {
  /** The key's id */
  readonly id: string
  readonly status: "revoked"
  /** When it was revoked for the first time */
  readonly revoked_at: string
  /** How many keys it has made, those have made, and so on: all of them are revoked. Where `descendants` is true */
  readonly descendants_revoked?: number | undefined
}

/** A session that works no more */
export interface RevokedLoginSession {
  /** The session's id */
  readonly id: string
  readonly status: "revoked"
  /** When it was ended for the first time */
  readonly revoked_at: string
}

/** A provider key whose value is erased */
export interface RevokedProviderKey {
  /** The key's id */
  readonly id: string
  readonly status: "revoked"
  /** When it was revoked for the first time */
  readonly revoked_at: string
}

/** A key's successor, and the key itself */
export interface RotatedApiKey {
  readonly new: CreatedApiKey
  readonly old: ReplacedApiKey
}

/** A webhook endpoint with its new secret */
export interface RotatedEndpoint {
  /** The endpoint's id */
  readonly id: string
  /** Where events are sent */
  readonly url: string
  /** The kinds of events that are sent. Empty for `run.succeeded`, `run.paused`, `run.failed`, `run.cancelled`, `credential.revoked`, `workspace.cap_reached`, and for nothing else */
  readonly event_types: ReadonlyArray<string>
  /** The workspaces whose events are sent. Empty for all, and for events about the organization itself */
  readonly workspace_ids: ReadonlyArray<string>
  /** Purpose of the endpoint */
  readonly description: string | null
  /** Only an active endpoint is sent anything */
  readonly status: "active" | "disabled" | "deleted"
  /** Why it is disabled: `disabled_by_request`, or `failing` after 120 hours of nothing but failures */
  readonly disabled_reason: string | null
  /** When it was registered */
  readonly created_at: string
  /** The new signing secret. Shown this once: null when the request is repeated under its Idempotency-Key */
  readonly secret: string | null
  readonly previous_secret_expires_at: string | null
}

/** One asynchronous execution of an agent */
export interface Run {
  /** The run's id */
  readonly run_id: string
  /** The session that it belongs to */
  readonly session_id: string
  /** The workspace that it belongs to */
  readonly workspace_id: string
  /** The agent that runs */
  readonly agent_id: string
  /** The recipe that executes it */
  readonly recipe: string
  /** succeeded, failed and cancelled are final */
  readonly status: "queued" | "running" | "succeeded" | "failed" | "cancelled"
  /** Whether it ended on a question; its status is succeeded then */
  readonly paused: boolean
  /** The agent's last message: on a paused run, the question */
  readonly message: string | null
  /** The question's data, an object; null for a plain one. Of a chat its `type` says what it waits for: `question`, `tool_calls` or `approvals`. Where an agent pauses with anything but an object, that is the member `value` */
  readonly interrupt: Readonly<Record<string, unknown>> | null
  /** Whether the interrupt was dropped because it was larger than 32 KiB */
  readonly interrupt_truncated: boolean
  /** The agent's input */
  readonly input: unknown
  /** The result: any JSON of up to 256 KiB and 100 levels. A larger one, or a larger `message`, fails the run as `output_too_large`; a deeper one, or a deeper `interrupt`, as `agent_error` */
  readonly result: unknown
  /** Why it failed, for people, in up to 500 characters */
  readonly error: string | null
  /** Why it failed, for programs */
  readonly error_code: "agent_error" | "invalid_input" | "timed_out" | "expired" | "worker_lost" | "provider_error" | "provider_rate_limited" | "credential_invalid" | "provider_key_missing" | "model_unpriced" | "cap_reached" | "call_exceeds_cap" | "output_too_large" | "internal_error" | null
  /** Why the last answer of its model ended. `length`: it reached its limit of tokens, and what there is of it is the result. Null for an agent without a model */
  readonly finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "other" | null
  /** How often its execution has begun. A worker that is stopped hands its runs back, and that does not count */
  readonly attempt: number
  /** How often it may begin */
  readonly max_attempts: number
  readonly trigger: RunTrigger
  /** The paused run that this one answers */
  readonly resumes_run_id: string | null
  /** The run that answered this one's question */
  readonly resumed_by_run_id: string | null
  /** When it was triggered */
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly cancel_requested_at: string | null
  /** The cost of its model calls so far, in USD, and null to a browser key; a call without a known price costs nothing here. It may grow after the end, by calls that are settled later */
  readonly cost_usd: string | null
  /** Sums over its model calls; null to a browser key */
  readonly usage: Usage | null
  /** The caller's own pairs */
  readonly metadata: Readonly<Record<string, string>>
  /** The caller's own tags */
  readonly tags: ReadonlyArray<string>
  readonly agent_version: number | null
  /** The model that it or its agent named then; null for none, and to a browser key */
  readonly model: string | null
  /** The caller's message to the agent: the `message` that it was triggered with, or that of a reply */
  readonly prompt: string | null
  /** The settings that it has in the place of its agent's, as they were sent; null for none, and to a browser key */
  readonly overrides: RunOverrides | null
  readonly run_at: string | null
  readonly ttl_seconds: number | null
  /** Of the workspace's runs that are due, a higher priority goes first */
  readonly priority: number
  /** It fails as `timed_out` when one attempt takes longer, in seconds */
  readonly max_duration_seconds: number
  readonly max_cost_usd: string | null
}

/** A new key that reads one run */
export interface RunBrowserKey {
  /** The key's id, by which it can be revoked */
  readonly id: string
  /** The key's value. Shown this once: null when the request is repeated under its Idempotency-Key */
  readonly key: string | null
  /** When it ends at the latest */
  readonly expires_at: string
  /** The run that it reads */
  readonly run_id: string
}

/** The data of `run.cancelled` in a run's log */
export type RunCancelledLogData = Readonly<Record<string, unknown>>

/** `run.cancelled` in a run's log */
export interface RunCancelledLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "run.cancelled"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: RunCancelledLogData
}

/** `run.cancelled` in the timeline of a record */
export interface RunCancelledTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "run.cancelled"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: RunCancelledLogData
}

/** Costs of a run, by model */
export interface RunCosts {
  /** The run */
  readonly run_id: string
  /** Of every amount */
  readonly currency: "USD"
  /** The cost of its model calls */
  readonly total_cost_usd: string
  /** Of it, the part that the workspace's own provider keys paid for */
  readonly byok_cost_usd: string
  /** Of it, the part that the platform's keys paid for */
  readonly platform_cost_usd: string
  /** Requests without a known price: they are not in the cost */
  readonly unpriced_requests: number
  /** The amount reserved for calls in flight */
  readonly reserved_usd: string
  /** By provider, model and kind of key */
  readonly items: ReadonlyArray<RunModelCost>
}

/** One event of a run's log, by its type */
export type RunEvent = (RunQueuedLogEvent | RunStartedLogEvent | RunRetryingLogEvent | MessageDeltaLogEvent | MessageCompletedLogEvent | ReasoningDeltaLogEvent | ReasoningCompletedLogEvent | ToolStartedLogEvent | ToolCompletedLogEvent | LlmRequestLogEvent | InterruptRequestedLogEvent | MessageReceivedLogEvent | CancelRequestedLogEvent | LogLogEvent | RunSucceededLogEvent | RunPausedLogEvent | RunFailedLogEvent | RunCancelledLogEvent)

/** The data of `run.failed` in a run's log */
export interface RunFailedLogData {
  /** Why, for programs */
  readonly error_code: "agent_error" | "invalid_input" | "timed_out" | "expired" | "worker_lost" | "provider_error" | "provider_rate_limited" | "credential_invalid" | "provider_key_missing" | "model_unpriced" | "cap_reached" | "call_exceeds_cap" | "output_too_large" | "internal_error" | null
  /** Why, for people */
  readonly error: string | null
}

/** `run.failed` in a run's log */
export interface RunFailedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "run.failed"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: RunFailedLogData
}

/** `run.failed` in the timeline of a record */
export interface RunFailedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "run.failed"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: RunFailedLogData
}

/** A page of a run's log */
export interface RunLogPage {
  /** Oldest first */
  readonly items: ReadonlyArray<RunEvent>
  /** For the next page; null when there is no more yet */
  readonly next_cursor: string | null
  /** The last place given out so far; pass it as `after` to get what comes later */
  readonly last_seq: number
}

/** The calls of a run to one model, paid for by one kind of key */
export interface RunModelCost {
  /** The model provider */
  readonly provider: string
  /** The model as it was asked for */
  readonly model: string
  /** Requests to model providers, failed ones and retries included */
  readonly requests: number
  /** Tokens read, cache reads and writes included */
  readonly input_tokens: number
  /** Of these, read from a cache */
  readonly cache_read_tokens: number
  /** Of these, written to a cache */
  readonly cache_write_tokens: number
  /** Tokens written, reasoning included */
  readonly output_tokens: number
  /** Of these, reasoning */
  readonly reasoning_tokens: number
  /** Their cost */
  readonly cost_usd: string
  /** Requests without a known price: they are not in the cost */
  readonly unpriced_requests: number
  /** Whose provider key paid: the workspace's own or the platform's */
  readonly key_source: "byok" | "platform"
  /** The source of the price; null when no price is known */
  readonly price_version: string | null
}

/** Runs that ended in this time, by how they ended */
export interface RunOutcomes {
  /** All of them */
  readonly total: number
  /** Ended without a question */
  readonly succeeded: number
  /** Ended on a question; they read succeeded with paused true, and are not counted as succeeded here */
  readonly paused: number
  /** Failed */
  readonly failed: number
  /** Cancelled */
  readonly cancelled: number
}

/** Settings of a run in the place of its agent's */
export interface RunOverrides {
  /** The model */
  readonly model?: string | undefined
  /** The system instructions of the model */
  readonly instructions?: string | undefined
  /** Tools that the recipe may use */
  readonly tools?: ReadonlyArray<string> | undefined
  /** How much chance there is in answers; not every model takes it */
  readonly temperature?: number | undefined
  /** Words are chosen among those that make up this share of probability */
  readonly top_p?: number | undefined
  /** Most tokens of one answer, reasoning included */
  readonly max_output_tokens?: number | undefined
  /** Texts at which an answer ends, without them */
  readonly stop?: ReadonlyArray<string> | undefined
  /** Makes answers to the same request alike, as far as the provider can */
  readonly seed?: number | undefined
  /** How much the model reasons before it answers. A level that a provider does not have becomes its nearest */
  readonly reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | undefined
  /** Whether the model calls for tools: as it likes, not at all, for at least one, or for the named one. `required` and a name hold for its first answer of a run, after which it goes on as it likes */
  readonly tool_choice?: "auto" | "none" | "required" | NamedTool | undefined
  /** Whether one answer may call for several tools */
  readonly parallel_tool_calls?: boolean | undefined
  /** The JSON schema of the result */
  readonly output_schema?: Readonly<Record<string, unknown>> | undefined
  /** Options that only one provider has, by the provider: `{"openai": {"verbosity": "low"}}`. docs/agents.md lists them */
  readonly provider_options?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
  /** Whether the provider is asked to remember what it is sent again, such as instructions, which costs less */
  readonly prompt_cache?: "auto" | "off" | undefined
}

/** Runs, newest first. With `q` a page looks at 1000 runs at most: it may hold fewer than `limit`, or none, and `next_cursor` still leads on */
export interface RunPage {
  /** Newest first */
  readonly items: ReadonlyArray<Run>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** The data of `run.paused` in a run's log */
export interface RunPausedLogData {
  /** The question */
  readonly message: string
  /** The question's data */
  readonly interrupt?: Readonly<Record<string, unknown>> | null | undefined
  /** Whether the interrupt was dropped because it was larger than 32 KiB */
  readonly interrupt_truncated?: boolean | undefined
  /** True where the data was larger than 64 KiB: the beginnings of its texts are left of it */
  readonly truncated?: boolean | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `run.paused` in a run's log */
export interface RunPausedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "run.paused"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: RunPausedLogData
}

/** `run.paused` in the timeline of a record */
export interface RunPausedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "run.paused"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: RunPausedLogData
}

/** The data of `run.queued` in a run's log */
export type RunQueuedLogData = Readonly<Record<string, unknown>>

/** `run.queued` in a run's log */
export interface RunQueuedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "run.queued"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: RunQueuedLogData
}

/** `run.queued` in the timeline of a record */
export interface RunQueuedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "run.queued"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: RunQueuedLogData
}

/** A signed report of a finished run */
export interface RunRecord {
  /** The version of this form */
  readonly record_version: 1
  /** When the record was made */
  readonly generated_at: string
  readonly run: RecordRun
  readonly agent: RecordAgent
  /** The run's log without `message.delta` and `reasoning.delta`, oldest first: up to 10,000 entries of 24 MiB together, the last one always among them */
  readonly timeline: ReadonlyArray<TimelineEntry>
  /** Whether the log holds more than the timeline */
  readonly timeline_truncated: boolean
  /** The messages, oldest first, within the same bounds as the timeline. An unfinished message has 256 KiB at most */
  readonly messages: ReadonlyArray<RecordMessage>
  /** Whether more was said than the messages hold */
  readonly messages_truncated: boolean
  /** The question that the run answered and the one that it ended on */
  readonly approvals: ReadonlyArray<Approval>
  readonly usage?: Usage | undefined
  /** The cost of its model calls so far, in USD; a call without a known price costs nothing here. It may grow after the end, by calls that are settled later */
  readonly cost_usd?: string | undefined
  /** Where secrets were redacted by their form. 10,000 places are listed; the others are summed up by kind, with the pointer `""` */
  readonly redactions: ReadonlyArray<Redaction>
  readonly integrity: Integrity
}

/** One request to a model provider */
export interface RunRequest {
  /** The request's id */
  readonly request_id: string
  /** Its place among the run's requests, from 1, in the order in which they were begun */
  readonly seq: number
  /** The attempt of the run that made it */
  readonly attempt: number
  /** The model provider */
  readonly provider: string
  /** The model as it was asked for */
  readonly request_model: string
  /** The model that answered, if it is known */
  readonly response_model: string | null
  /** How it ended */
  readonly status: "ok" | "error" | "aborted"
  /** Why it failed */
  readonly error_code: string | null
  /** Why the answer ended: `stop`, `length`, `tool_calls`, `content_filter` or `other`; null where no end of it was seen */
  readonly finish_reason: string | null
  /** When it was sent */
  readonly started_at: string
  /** How long it took, in milliseconds */
  readonly duration_ms: number
  readonly time_to_first_token_ms: number | null
  /** Tokens read, cache reads and writes included */
  readonly input_tokens: number
  /** Of these, read from a cache */
  readonly cache_read_tokens: number
  /** Of these, written to a cache */
  readonly cache_write_tokens: number
  /** Tokens written, reasoning included */
  readonly output_tokens: number
  /** Of these, reasoning */
  readonly reasoning_tokens: number
  /** Who counted the tokens; estimated: not counted, so the amount held back is taken as used */
  readonly usage_source: "provider" | "estimated"
  readonly cost_usd: string | null
  /** Whose provider key paid: the workspace's own or the platform's */
  readonly key_source: "byok" | "platform"
  /** The workspace's provider key that paid; null for the platform's, and for one that an agent has used by itself and reports */
  readonly key_id: string | null
  /** The source of the price; null when no price is known */
  readonly price_version: string | null
}

/** A run's requests to model providers, newest first */
export interface RunRequestPage {
  /** The run */
  readonly run_id: string
  /** Newest first */
  readonly items: ReadonlyArray<RunRequest>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** The data of `run.retrying` in a run's log */
export interface RunRetryingLogData {
  /** Why it is queued again: its worker is lost, or stops */
  readonly reason: "worker_lost" | "worker_stopping"
}

/** `run.retrying` in a run's log */
export interface RunRetryingLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "run.retrying"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: RunRetryingLogData
}

/** `run.retrying` in the timeline of a record */
export interface RunRetryingTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "run.retrying"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: RunRetryingLogData
}

/** The data of `run.started` in a run's log */
export type RunStartedLogData = Readonly<Record<string, unknown>>

/** `run.started` in a run's log */
export interface RunStartedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "run.started"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: RunStartedLogData
}

/** `run.started` in the timeline of a record */
export interface RunStartedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "run.started"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: RunStartedLogData
}

/** The data of `run.succeeded` in a run's log */
export type RunSucceededLogData = Readonly<Record<string, unknown>>

/** `run.succeeded` in a run's log */
export interface RunSucceededLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "run.succeeded"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: RunSucceededLogData
}

/** `run.succeeded` in the timeline of a record */
export interface RunSucceededTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "run.succeeded"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: RunSucceededLogData
}

/** The trigger of a run */
export interface RunTrigger {
  /** The kind of trigger */
  readonly type: "api" | "message" | "webhook" | "schedule"
  /** Which one; null for a call of the API */
  readonly id: string | null
}

/** Runs of an agent by the clock */
export interface Schedule {
  /** The schedule's id */
  readonly id: string
  /** The agent that runs */
  readonly agent_id: string
  /** Purpose of the schedule */
  readonly name: string | null
  /** The cron expression */
  readonly cron: string
  /** The time zone on whose clock it is read */
  readonly timezone: string
  /** The message to the agent */
  readonly message: string | null
  /** The agent's input */
  readonly input: unknown
  /** The caller's own pairs */
  readonly metadata: Readonly<Record<string, string>>
  /** Tags of its runs */
  readonly tags: ReadonlyArray<string>
  /** What becomes of times for which a run could not be made within five minutes: `skip` makes none, `once` makes one for all of them, once it can */
  readonly missed: "skip" | "once"
  /** Whether it makes runs. Times while it does not are not made up for */
  readonly enabled: boolean
  readonly next_run_at: string | null
  /** The last run that it made. It may be erased since */
  readonly last_run_id: string | null
  readonly last_run_at: string | null
  /** Why the last time that was due made no run; null where it did, or none was */
  readonly last_error: ScheduleError | null
  /** Counts the changes of the schedule, from 1. For `If-Match` */
  readonly version: number
  /** When the schedule was created */
  readonly created_at: string
  /** When it was last changed */
  readonly updated_at: string
}

/** Changes of a schedule; absent members stay as they are, and null empties what can be null */
export interface ScheduleChange {
  /** The agent that runs */
  readonly agent_id?: string | undefined
  readonly name?: string | null | undefined
  /** A cron expression */
  readonly cron?: string | undefined
  /** A time zone of the IANA database, on whose clock the expression is read */
  readonly timezone?: string | undefined
  readonly message?: string | null | undefined
  /** The agent's input: any JSON, nested up to 100 levels deep. Where the agent has an `input_schema` it must fit that */
  readonly input?: unknown | undefined
  /** Up to 16 pairs of the caller's own: names of 1 to 64 characters, values of up to 500 */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Up to 10 tags of the caller's own, shown with the run */
  readonly tags?: ReadonlyArray<string> | undefined
  /** What becomes of times for which a run could not be made within five minutes: `skip` makes none, `once` makes one for all of them, once it can */
  readonly missed?: "skip" | "once" | undefined
  /** Whether it makes runs. Times while it does not are not made up for */
  readonly enabled?: boolean | undefined
}

/** A time of a schedule that made no run */
export interface ScheduleError {
  /** Why, for programs. `missed`: nobody came to it in time, and `missed` is `skip`. `agent_archived`, `workspace_closed`, `timetable_unknown`: it was switched off. `cap_reached`, `queue_full`: the workspace's limits at that time. `invalid_input`, `agent_error`: what its agent has become since */
  readonly code: "missed" | "agent_archived" | "workspace_closed" | "cap_reached" | "queue_full" | "invalid_input" | "agent_error" | "timetable_unknown" | "internal_error"
  /** Why, for people */
  readonly detail: string
  /** The time that made no run */
  readonly due_at: string
}

/** Schedules, newest first */
export interface SchedulePage {
  /** Newest first */
  readonly items: ReadonlyArray<Schedule>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** A conversation, whose runs execute one after another */
export interface Session {
  /** The session's id */
  readonly session_id: string
  /** The workspace that it belongs to */
  readonly workspace_id: string
  /** `running` while a run executes, else `queued` while one waits, else `paused` while a question is open, else `idle` */
  readonly status: "idle" | "queued" | "running" | "paused"
  /** When its first run was triggered */
  readonly created_at: string
  readonly unfinished: UnfinishedRuns
  readonly latest_run: LatestRun | null
  readonly open_question: OpenQuestion | null
}

/** A new key that reads one session */
export interface SessionBrowserKey {
  /** The key's id, by which it can be revoked */
  readonly id: string
  /** The key's value. Shown this once: null when the request is repeated under its Idempotency-Key */
  readonly key: string | null
  /** When it ends at the latest */
  readonly expires_at: string
  /** The session that it reads, with its runs */
  readonly session_id: string
}

/** How a session is cancelled */
export interface SessionCancel {
  readonly reason?: string | null | undefined
  /** Whether a run that executes may end by itself for up to 10 seconds, or is cut off at once. `"graceful"` when missing. */
  readonly mode?: "graceful" | "immediate" | undefined
}

/** The outcome of cancelling a session */
export interface SessionCancelled {
  /** The session */
  readonly session_id: string
  /** Runs that are cancelled */
  readonly cancelled: ReadonlyArray<CancelledRun>
  /** Runs that execute: they end as cancelled after 10 seconds of grace at the latest */
  readonly requested: ReadonlyArray<CancellingRun>
  /** Paused runs whose open question was closed. They keep their state */
  readonly closed_questions: ReadonlyArray<ClosedQuestion>
}

/** Sessions, newest first. With `status` or `q` a page looks at 1000 sessions at most: it may hold fewer than `limit`, or none, and `next_cursor` still leads on */
export interface SessionPage {
  /** Newest first */
  readonly items: ReadonlyArray<SessionSummary>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** A session as a list shows it */
export interface SessionSummary {
  /** The session's id */
  readonly session_id: string
  /** The workspace that it belongs to */
  readonly workspace_id: string
  /** The agent of its first run */
  readonly agent_id: string
  /** The first 200 characters of the message that it began with; null where it began without one */
  readonly first_message: string | null
  /** `running` while a run executes, else `queued` while one waits, else `paused` while a question is open, else `idle` */
  readonly status: "idle" | "queued" | "running" | "paused"
  /** When its first run was triggered */
  readonly created_at: string
  readonly unfinished: UnfinishedRuns
  readonly latest_run: LatestRun | null
  readonly open_question: OpenQuestionSummary | null
}

/** The workspace's spend cap of this month, and the amount spent */
export interface SpendCap {
  readonly monthly_cap_usd: string | null
  /** The cost of model calls admitted since period_start */
  readonly spent_usd: string
  /** The amount reserved for model calls in flight */
  readonly reserved_usd: string
  /** When the month began in the workspace's time zone */
  readonly period_start: string
  /** When the next month begins */
  readonly period_end: string
  /** near from 80 % of the cap on, reached from all of it on, or once a call was refused for it; without a cap always ok */
  readonly status: "ok" | "near" | "reached"
}

/** How far the latest version of a template has come */
export interface TemplateSpread {
  /** Workspaces that were gone through */
  readonly workspaces_done: number
  /** Workspaces there are to go through */
  readonly workspaces_total: number
  readonly ended_at: string | null
}

/** A workspace's part in a template */
export interface TemplateWorkspace {
  /** The workspace */
  readonly workspace_id: string
  /** Its agent, provider key or tool secret that follows the template; null where it has none */
  readonly resource_id: string | null
  /** The version of the template that it has, or that was tried last where it has none */
  readonly version: number
  /** The members that the workspace has set for itself, such as `name`, which the template does not change any more; `deleted` where it has deleted or revoked its own */
  readonly overridden: ReadonlyArray<string>
  /** Why it has none: `taken` where it has a tool secret of its own with that name, or for that header and host pattern; `quota_exceeded` where it has as many as it may have; `revoked` where the template was revoked before. Or why it is behind: `conflict` where an agent's own settings do not go with those of the template. Tried again with the next version */
  readonly fault: "taken" | "quota_exceeded" | "revoked" | "conflict" | null
}

/** The parts of workspaces in a template, in the order of their ids */
export interface TemplateWorkspacePage {
  /** Newest first */
  readonly items: ReadonlyArray<TemplateWorkspace>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** Something that happened in a run, by its type */
export type TimelineEntry = (RunQueuedTimelineEntry | RunStartedTimelineEntry | RunRetryingTimelineEntry | MessageCompletedTimelineEntry | ReasoningCompletedTimelineEntry | ToolStartedTimelineEntry | ToolCompletedTimelineEntry | LlmRequestTimelineEntry | InterruptRequestedTimelineEntry | MessageReceivedTimelineEntry | CancelRequestedTimelineEntry | LogTimelineEntry | RunSucceededTimelineEntry | RunPausedTimelineEntry | RunFailedTimelineEntry | RunCancelledTimelineEntry)

/** The data of `tool.completed` in a run's log */
export interface ToolCompletedLogData {
  /** The tool's name */
  readonly name: string
  /** The call's id, of a chat */
  readonly tool_call_id?: string | undefined
  /** Whether it failed, of a chat */
  readonly is_error?: boolean | undefined
  /** Whether the model got a part of the result alone */
  readonly truncated?: boolean | undefined
  /** How long the call took, in milliseconds */
  readonly duration_ms?: number | undefined
  /** Of a chat a text of up to 4,000 characters */
  readonly result?: unknown | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `tool.completed` in a run's log */
export interface ToolCompletedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "tool.completed"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: ToolCompletedLogData
}

/** `tool.completed` in the timeline of a record */
export interface ToolCompletedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "tool.completed"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: ToolCompletedLogData
}

/** A secret of tools without its value */
export interface ToolSecret {
  /** The secret's id */
  readonly id: string
  /** Purpose of the secret */
  readonly name: string
  /** The hosts that it is sent to */
  readonly host_pattern: string
  /** The header that it is sent in */
  readonly header: string
  /** The client whose access tokens are sent; null where the value itself is */
  readonly oauth: OAuthClient | null
  /** Counts the changes of the secret. For `If-Match` */
  readonly version: number
  /** When the secret was added */
  readonly created_at: string
  /** When it was last changed */
  readonly updated_at: string
}

/** Changes of a secret; absent members stay as they are */
export interface ToolSecretChange {
  /** Purpose of the secret; unique in the workspace */
  readonly name?: string | undefined
  /** A new value for the header, which takes the place of the old one */
  readonly value?: string | undefined
  readonly oauth?: OAuthClientChange | undefined
}

/** Secrets of tools, newest first */
export interface ToolSecretPage {
  /** Newest first */
  readonly items: ReadonlyArray<ToolSecret>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** A template of tool secrets without its value */
export interface ToolSecretTemplate {
  /** The template's id */
  readonly id: string
  /** Counts the changes of the template. For `If-Match` */
  readonly version: number
  /** When the template was made */
  readonly created_at: string
  /** When it was last changed */
  readonly updated_at: string
  readonly spread: TemplateSpread
  /** Purpose of the secret */
  readonly name: string
  /** The hosts that it is sent to */
  readonly host_pattern: string
  /** The header that it is sent in */
  readonly header: string
  /** The client whose access tokens are sent; null where the value itself is */
  readonly oauth: OAuthClient | null
}

/** Templates of tool secrets, newest first */
export interface ToolSecretTemplatePage {
  /** Newest first */
  readonly items: ReadonlyArray<ToolSecretTemplate>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}

/** The data of `tool.started` in a run's log */
export interface ToolStartedLogData {
  /** The tool's name */
  readonly name: string
  /** The call's id, of a chat */
  readonly tool_call_id?: string | undefined
  /** Of a chat a text: up to 4,000 characters of JSON */
  readonly arguments?: unknown | undefined
  /** True where the data was larger than 64 KiB: the beginnings of its texts are left of it */
  readonly truncated?: boolean | undefined
  /** The size of data that was cut */
  readonly bytes?: number | undefined
}

/** `tool.started` in a run's log */
export interface ToolStartedLogEvent {
  /** The run */
  readonly run_id: string
  /** Its session */
  readonly session_id: string
  /** The place in the run's log, from 1, without gaps */
  readonly seq: number
  /** The event's type */
  readonly type: "tool.started"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to; 0 before the first */
  readonly attempt: number
  /** The event's data */
  readonly data: ToolStartedLogData
}

/** `tool.started` in the timeline of a record */
export interface ToolStartedTimelineEntry {
  /** The place in the run's log */
  readonly seq: number
  /** The event's type */
  readonly type: "tool.started"
  /** When it happened */
  readonly created_at: string
  /** The attempt it belongs to */
  readonly attempt: number
  /** The event's data */
  readonly data: ToolStartedLogData
}

/** How many runs have not ended */
export interface UnfinishedRuns {
  /** Runs that wait */
  readonly queued: number
  /** Runs that execute: one at most */
  readonly running: number
}

/** The number of unread notices */
export interface UnreadCount {
  /** How many notices are unread now */
  readonly unread_count: number
}

/** Sums over model calls */
export interface Usage {
  /** Requests to model providers */
  readonly requests: number
  /** Tokens read, cache reads and writes included */
  readonly input_tokens: number
  /** Of these, read from a cache */
  readonly cache_read_tokens: number
  /** Of these, written to a cache */
  readonly cache_write_tokens: number
  /** Tokens written, reasoning included */
  readonly output_tokens: number
  /** Of these, reasoning */
  readonly reasoning_tokens: number
}

/** A part of what was used */
export interface UsageGroup {
  /** The value of the first of `group_by`; null where there is none */
  readonly key: string | null
  /** By model: as it was asked for */
  readonly model?: string | null | undefined
  /** By provider */
  readonly provider?: string | null | undefined
  /** By agent: its id */
  readonly agent_id?: string | null | undefined
  /** By agent: its present name */
  readonly agent_name?: string | null | undefined
  /** By whose provider key paid: the workspace's own or the platform's */
  readonly key_source?: "byok" | "platform" | null | undefined
  /** By workspace: its id */
  readonly workspace_id?: string | null | undefined
  /** By workspace: its present name */
  readonly workspace_name?: string | null | undefined
  /** By tag; null for runs without any. A run counts for each of its tags */
  readonly tag?: string | null | undefined
  /** By pairs of metadata: the value under each name; null for runs without it */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined
  /** Whether it adds up everything beyond the dearest 1,000; each of its keys is null */
  readonly other: boolean
  /** Its runs; null unless grouped by agents and workspaces alone, since a run may use several of anything else */
  readonly runs: RunOutcomes | null
  readonly usage: UsageSums
  /** Their cost, as far as their prices are known */
  readonly cost_usd: string
  /** Of it, the part that the workspace's own provider keys paid for */
  readonly byok_cost_usd: string
  /** Of it, the part that the platform's keys paid for */
  readonly platform_cost_usd: string
  /** Requests without a known price: they are not in the cost */
  readonly unpriced_requests: number
}

/** Usage of an hour */
export interface UsageHour {
  /** When it begins */
  readonly hour: string
  /** Runs that ended in it */
  readonly runs: number
  readonly outcomes: RunOutcomes
  /** How long the runs took that ended in it, from when each could begin (`created_at`, or `run_at`) to its end, the time in the queue included; null where none of them ever began */
  readonly run_latency_ms: Percentiles | null
  /** How long the first token took of the requests that were begun in it; null where none was streamed */
  readonly time_to_first_token_ms: Percentiles | null
  /** Requests to model providers, failed ones and retries included */
  readonly requests: number
  /** Tokens read, cache reads and writes included */
  readonly input_tokens: number
  /** Of these, read from a cache */
  readonly cache_read_tokens: number
  /** Of these, written to a cache */
  readonly cache_write_tokens: number
  /** Tokens written, reasoning included */
  readonly output_tokens: number
  /** Of these, reasoning */
  readonly reasoning_tokens: number
  /** Their cost, as far as their prices are known */
  readonly cost_usd: string
  /** Of it, the part that the workspace's own provider keys paid for */
  readonly byok_cost_usd: string
  /** Of it, the part that the platform's keys paid for */
  readonly platform_cost_usd: string
  /** Requests without a known price: they are not in the cost */
  readonly unpriced_requests: number
}

/** Usage of a workspace */
export interface UsageSummary {
  /** The workspace */
  readonly workspace_id: string
  /** From this time on */
  readonly since: string
  /** And before this time */
  readonly until: string
  /** Everything that was recorded before this time is counted */
  readonly as_of: string
  /** Of every amount */
  readonly currency: "USD"
  readonly runs: RunOutcomes
  readonly usage: UsageSums
  /** Their cost, as far as their prices are known */
  readonly cost_usd: string
  /** Of it, the part that the workspace's own provider keys paid for */
  readonly byok_cost_usd: string
  /** Of it, the part that the platform's keys paid for */
  readonly platform_cost_usd: string
  /** Requests without a known price: they are not in the cost */
  readonly unpriced_requests: number
  /** With group_by: its parts, the dearest first, 1,000 at most */
  readonly groups?: ReadonlyArray<UsageGroup> | undefined
}

/** Sums over model calls */
export interface UsageSums {
  /** Requests to model providers, failed ones and retries included */
  readonly requests: number
  /** Tokens read, cache reads and writes included */
  readonly input_tokens: number
  /** Of these, read from a cache */
  readonly cache_read_tokens: number
  /** Of these, written to a cache */
  readonly cache_write_tokens: number
  /** Tokens written, reasoning included */
  readonly output_tokens: number
  /** Of these, reasoning */
  readonly reasoning_tokens: number
}

/** The person of a session; null for a key */
export interface UserName {
  /** The user's id */
  readonly id: string
  /** The user's e-mail address */
  readonly email: string
  /** The user's name */
  readonly name: string
  /** The user's role in the workspace that the request is about, or else in the organization; null for none */
  readonly role: string | null
}

/** The tenant that every resource belongs to */
export interface Workspace {
  /** The workspace's id */
  readonly id: string
  /** Name of the workspace. Need not be unique */
  readonly name: string
  /** The organization's id */
  readonly organization_id: string
  /** The time zone that holds now; days and months of usage follow it */
  readonly timezone: string
  /** The time zone that was chosen for the months to come; null when none was */
  readonly next_timezone: NextTimezone | null
  readonly monthly_cap_usd: string | null
  /** Whether model calls may be made with the platform's own provider keys, where those of the workspace allow it */
  readonly allow_platform_keys: boolean
  /** For how many days its runs are kept; null for as long as the deployment keeps runs */
  readonly retention_days: number | null
  /** When the workspace was created */
  readonly created_at: string
}

/** Changes of a workspace; absent members stay as they are */
export interface WorkspaceChange {
  /** Name of the workspace. Need not be unique */
  readonly name?: string | undefined
  /** A time zone of the IANA database. It holds from the next month on that has not begun there yet */
  readonly timezone?: string | undefined
  readonly monthly_cap_usd?: string | null | undefined
  /** Whether model calls may be made with the platform's own provider keys, where those of the workspace allow it */
  readonly allow_platform_keys?: boolean | undefined
  readonly retention_days?: number | null | undefined
}

/** A role in a workspace */
export interface WorkspaceGrant {
  /** The workspace's id */
  readonly workspace_id: string
  /** The person's role there */
  readonly role: "member" | "viewer"
}

/** The workspace that the request is about */
export interface WorkspaceName {
  /** Its id */
  readonly id: string
  /** Its name */
  readonly name: string
}

/** Workspaces, newest first */
export interface WorkspacePage {
  /** Newest first */
  readonly items: ReadonlyArray<Workspace>
  /** For the next page; null at the end */
  readonly next_cursor: string | null
}
