import {
  Egress,
  FeedLog,
  Fingerprints,
  Idempotency,
  JobQueue,
  Quotas,
  SecretBox,
  TemplateStore,
  UnitOfWork
} from "@agent-platform/kernel"
import { ProviderProbe, TenancyStore } from "@agent-platform/keys"
import { AgentRunner } from "@agent-platform/runs"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  type CreateTemplate,
  createTemplate,
  deleteTemplate,
  readTemplate,
  type UpdateTemplate,
  updateTemplate
} from "./changeTemplates.ts"
import { listTemplateMembers, listTemplates } from "./listTemplates.ts"

/** The ports that the contents of templates are made by. */
type ContentPorts = AgentRunner | Egress | Fingerprints | ProviderProbe | SecureRandom.SecureRandom

const make = Effect.gen(function* () {
  const bind = yield* makeBind(
    AgentRunner,
    ProviderProbe,
    Fingerprints,
    TemplateStore,
    TenancyStore,
    SecretBox,
    Egress,
    JobQueue,
    FeedLog,
    Idempotency,
    Quotas,
    SecureRandom.SecureRandom,
    UnitOfWork
  )
  return {
    createTemplate: <E>(command: CreateTemplate<E, ContentPorts>) => bind(createTemplate<E, ContentPorts>)(command),
    listTemplates: bind(listTemplates),
    readTemplate: bind(readTemplate),
    updateTemplate: <E, E2>(command: UpdateTemplate<E, E2, ContentPorts>) =>
      bind(updateTemplate<E, E2, ContentPorts>)(command),
    deleteTemplate: bind(deleteTemplate),
    listTemplateMembers: bind(listTemplateMembers)
  }
})

/** Templates of organizations: making, changing and reading them; workers bring them to workspaces. */
export class Templates extends Context.Service<Templates, Effect.Success<typeof make>>()(
  "@agent-platform/platform/Templates"
) {
  static readonly layer = Layer.effect(Templates, make)
}
