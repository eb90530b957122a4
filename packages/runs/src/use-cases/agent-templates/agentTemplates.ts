import type { TemplateBefore, TemplateContent } from "@agent-platform/kernel"
import { DateTime, Effect, Equal, Redacted } from "effect"
import { Agent, ENDPOINT_GRACE_SECONDS_DEFAULT } from "../../Agent.ts"
import {
  type AgentTemplateSecrets,
  type AgentTemplateSettings,
  agentTemplateSecrets,
  agentTemplateSettings,
  agentTemplateSettingsJson,
  agentTemplateValue
} from "../../AgentTemplate.ts"
import { admitUrls } from "../../admitUrls.ts"
import { type GivenEndpoint, type GivenMcpServer, generateSecret } from "../../agentSecrets.ts"
import { type ModelSettings, withGiven } from "../../ModelSettings.ts"
import { demandRecipes, type GivenSettings } from "../createAgent.ts"
import { demandSchemas } from "../demandSchemas.ts"

/** The content of a template before a change. */
interface Before {
  readonly settings: Pick<AgentTemplateSettings, "endpoint" | "mcpServers">
  readonly secrets: AgentTemplateSecrets
}

/** The servers as a template keeps them, and their headers; those of the very same URL keep what they had. */
const serversAfter = (given: ReadonlyArray<GivenMcpServer>, { secrets, settings }: Before) => {
  const headers: Record<string, Readonly<Record<string, string>>> = {}
  const servers = given.map(({ headers: own, name, tools = null, url }) => {
    const isSameServer = settings.mcpServers.some((one) => one.name === name && one.url === url)
    const kept = own ?? (isSameServer ? secrets.headers[name] : undefined) ?? {}
    const hasHeaders = Object.keys(kept).length > 0
    if (hasHeaders) headers[name] = kept
    return { name, url, tools, hasHeaders }
  })
  return { servers, headers }
}

/** The endpoint's secrets after a change, and the new one of them. As with an agent, another URL gets another secret. */
const endpointAfter = (
  given: GivenEndpoint,
  fresh: Redacted.Redacted,
  { secrets, settings }: Before,
  now: DateTime.Utc
) => {
  const own = { secret: Redacted.value(fresh), retiring: null }
  if (secrets.endpoint === null || settings.endpoint?.url !== given.url) return { endpoint: own, shown: fresh }
  if (given.rotateSecret !== true) return { endpoint: secrets.endpoint, shown: null }
  const { graceSeconds: seconds = ENDPOINT_GRACE_SECONDS_DEFAULT } = given
  const expiresAt = DateTime.formatIso(DateTime.add(now, { seconds }))
  const retiring = seconds === 0 ? null : { secret: secrets.endpoint.secret, expiresAt }
  return { endpoint: { ...own, retiring }, shown: fresh }
}

/** Whether the secrets are the same, and also the URLs and servers that they are for. */
const hasSameSecrets = (one: Before, other: Before): boolean => {
  const placesOf = ({ settings: { endpoint, mcpServers } }: Before) => ({
    endpoint,
    servers: mcpServers.map(({ tools, ...server }) => server)
  })
  return Equal.equals(one.secrets, other.secrets) && Equal.equals(placesOf(one), placesOf(other))
}

/**
 * The content of a template after a change. An endpoint or servers that are undefined stay as they are, with their secrets; `value` is
 * undefined where no secret changes.
 */
const contentOf = Effect.fnUntraced(function* (
  plain: Omit<AgentTemplateSettings, "endpoint" | "mcpServers">,
  given: {
    readonly endpoint: GivenEndpoint | null | undefined
    readonly mcpServers: ReadonlyArray<GivenMcpServer> | undefined
  },
  fresh: Redacted.Redacted,
  before: Before
) {
  const { endpoint, mcpServers } = given
  const now = yield* DateTime.now
  const { headers, servers } =
    mcpServers === undefined
      ? { headers: before.secrets.headers, servers: before.settings.mcpServers }
      : serversAfter(mcpServers, before)
  const signing =
    endpoint === undefined
      ? { endpoint: before.secrets.endpoint, shown: null }
      : endpoint === null
        ? { endpoint: null, shown: null }
        : endpointAfter(endpoint, fresh, before, now)
  const at = endpoint === undefined ? before.settings.endpoint : endpoint && { url: endpoint.url }
  const settings: AgentTemplateSettings = { ...plain, endpoint: at, mcpServers: servers }
  // The form of an agent's servers. Recipes do not look at headers.
  const agentServers = servers.map((server) => ({ ...server, sealedHeaders: null }))
  yield* demandRecipes({ ...settings, mcpServers: agentServers })
  const secrets: AgentTemplateSecrets = { endpoint: signing.endpoint, headers }
  const content: TemplateContent = {
    settings: agentTemplateSettingsJson(settings),
    // Secrets are sealed for their places: where these move, the same secrets are brought anew.
    value: hasSameSecrets({ settings, secrets }, before) ? undefined : agentTemplateValue(secrets),
    shown: signing.shown
  }
  return content
})

const NOTHING: Before = { settings: { endpoint: null, mcpServers: [] }, secrets: agentTemplateSecrets(null) }

/**
 * The content of a new template; the secret of its endpoint is shared by the agents of all workspaces. Fails as `createAgent` does
 * for the same settings. Not to be made in a transaction.
 */
export const newAgentTemplate = Effect.fnUntraced(function* (
  given: Partial<Omit<GivenSettings, "name" | "recipe">> & Pick<GivenSettings, "name" | "recipe">
) {
  const { endpoint = null, mcpServers = [], modelSettings = {}, ...settings } = given
  yield* demandSchemas(given)
  yield* admitUrls({ endpoint, mcpServers })
  const fresh = yield* generateSecret
  const plain = { ...Agent.withDefaults(settings), modelSettings: withGiven<ModelSettings>({}, modelSettings) }
  const content = yield* contentOf(plain, { endpoint, mcpServers }, fresh, NOTHING)
  return { ...content, value: content.value ?? null }
})

/**
 * Changes some settings of a template in two steps, which fail as `updateAgent` does for the same change. The first takes the template
 * as the caller has `seen` it, and is not to be made in a transaction, since it looks up URLs that are new to it. It returns the second,
 * which takes the template as the transaction holds it `before` the change: another change may have come between.
 */
export const changedAgentTemplate = (given: Partial<GivenSettings>) => {
  const { endpoint, mcpServers, modelSettings = {}, ...settings } = given
  return Effect.fnUntraced(function* (seen: Pick<TemplateBefore, "settings">) {
    const { endpoint: seenEndpoint, mcpServers: seenServers } = agentTemplateSettings(seen)
    const seenUrls = [...seenServers, ...(seenEndpoint === null ? [] : [seenEndpoint])].map(({ url }) => url)
    yield* demandSchemas(given)
    yield* admitUrls({ endpoint, mcpServers }, new Set(seenUrls))
    const fresh = yield* generateSecret

    const change = Effect.fnUntraced(function* (before: TemplateBefore) {
      const held = agentTemplateSettings(before)
      const plain = { ...held, ...settings, modelSettings: withGiven(held.modelSettings, modelSettings) }
      const secrets = agentTemplateSecrets(yield* before.open)
      return yield* contentOf(plain, { endpoint, mcpServers }, fresh, { settings: held, secrets })
    })
    return change
  })
}
