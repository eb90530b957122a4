import {
  Egress,
  FeedLog,
  Idempotency,
  JobQueue,
  Quotas,
  SecretBox,
  TemplateStore,
  UnitOfWork
} from "@agent-platform/kernel"
import { TenancyStore } from "@agent-platform/keys"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { createTemplate, deleteTemplate, readTemplate, updateTemplate } from "./changeTemplates.ts"
import { listTemplateMembers, listTemplates } from "./listTemplates.ts"

const make = Effect.gen(function* () {
  const bind = yield* makeBind(
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
    createTemplate: bind(createTemplate),
    listTemplates: bind(listTemplates),
    readTemplate: bind(readTemplate),
    updateTemplate: bind(updateTemplate),
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
