/** Workspaces that the operator creates get the templates of their organization, by the real program over a real Postgres. */
import { atomic, OrganizationId, SecretBox, TemplateStore, templatePlace, WorkspaceId } from "@agent-platform/kernel"
import { aTemplate } from "@agent-platform/kernel/testing"
import { ProviderKeyStore, providerKeyPlace } from "@agent-platform/keys"
import { AgentStore } from "@agent-platform/runs"
import { parseSecretsKey, SecretBoxAes } from "@agent-platform/secrets"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { bootstrapped, Database, layer } from "./operating.ts"
import { endedAdmin } from "./program.ts"

const SECRETS_KEY = `k1:${Buffer.alloc(32, 7).toString("base64")}`
const VALUE = "sk-of-the-product-0123456789"

const box = Effect.provide(
  SecretBox,
  Layer.unwrap(Effect.map(parseSecretsKey(Redacted.make(SECRETS_KEY)), SecretBoxAes.layer)).pipe(
    Layer.provide(SecureRandom.layerWebCrypto)
  )
)

const AGENT = {
  name: "Helper",
  description: null,
  recipe: "demo",
  recipes: [],
  model: null,
  instructions: "Be kind",
  tools: [],
  mcpServers: [],
  endpoint: null,
  modelSettings: {},
  functionTools: [],
  approvals: [],
  overridable: [],
  maxCostUsd: null,
  inputSchema: null
}

const KEY = {
  provider: "openai",
  name: "Product",
  hint: "sk-…789",
  fingerprint: "0123456789abcdef",
  priority: 7,
  fallback: "none",
  allowedModels: null,
  baseUrl: null,
  validatedAt: null,
  revokedAt: null
}

suite(layer, { excludeTestServices: true })("workspaces create", (it) => {
  it.effect("gives the workspace its organization's templates, and creates none whose secrets it cannot seal", () =>
    Effect.gen(function* () {
      const { url } = yield* Database
      const organizationId = OrganizationId.make((yield* bootstrapped).organization_id)
      const create = (settings: Readonly<Record<string, string>>) =>
        endedAdmin(["workspaces", "create", "--organization", organizationId, "--name", "Customer"], {
          NO_COLOR: "1",
          DATABASE_URL: Redacted.value(url),
          ...settings
        })
      const templates = yield* TemplateStore
      const agent = aTemplate({ organizationId, kind: "agent", settings: AGENT })
      yield* atomic(templates.insert(agent, null))
      const withoutSecrets = yield* create({})
      assert.strictEqual(withoutSecrets.code, 0, withoutSecrets.err)

      const key = aTemplate({ organizationId, kind: "provider_key", settings: KEY })
      const { open, seal } = yield* box
      yield* atomic(
        Effect.flatMap(seal(templatePlace(key), Redacted.make(VALUE)), (sealed) => templates.insert(key, sealed))
      )
      const another = `k1:${Buffer.alloc(32, 8).toString("base64")}`
      for (const settings of [{}, { SECRETS_KEY: another }]) {
        const refused = yield* create(settings)
        assert.notStrictEqual(refused.code, 0)
        assert.include(refused.err, "Set SECRETS_KEY as the apps have it")
      }
      const made = yield* create({ SECRETS_KEY })
      assert.strictEqual(made.code, 0, made.err)
      const workspaceId = WorkspaceId.make(JSON.parse(made.out).id)
      const agents = yield* AgentStore.use((store) => store.list(workspaceId, { limit: 10, before: undefined }))
      assert.deepStrictEqual(
        agents.items.map(({ instructions, name }) => [name, instructions]),
        [["Helper", "Be kind"]]
      )
      const [own] = yield* ProviderKeyStore.use((store) => store.ofProvider(workspaceId, "openai"))
      assert.deepInclude(own?.key, { name: "Product", priority: 7, organizationId })
      const opened = yield* open(providerKeyPlace(own!.key), own!.sealed)
      assert.strictEqual(Redacted.value(opened), VALUE)
    })
  )
})
