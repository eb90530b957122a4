import { atomic, type OrganizationId, tallyActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import type { NotInvited } from "../../LoginSession.ts"
import { TenancyStore } from "../../ports/TenancyStore.ts"

/** The reasons why a login through an identity provider is refused. */
export type LoginRefusal = NotInvited["reason"] | "provider_refused"

/** The reasons, each as the end of a sentence. */
const REASONS: Readonly<Record<LoginRefusal, string>> = {
  not_invited: "nobody has invited the person",
  email_unverified: "the provider does not vouch for the person's address",
  several_invited: "several organizations have invited the person",
  provider_refused: "the provider did not let the person in"
}

/**
 * Records a refused login in the organization that it named, if that exists: one entry for each provider, reason and minute. The
 * entry does not name the person, who has nothing to do with the organization: anybody can begin a login that names it.
 */
export const noteRefusedLogin = useCase("keys.noteRefusedLogin")(function* (refused: {
  readonly organizationId: OrganizationId
  readonly provider: string
  readonly reason: LoginRefusal
  readonly clientAddress: string | undefined
}) {
  const tenancy = yield* TenancyStore
  const { clientAddress, organizationId, provider, reason } = refused
  if ((yield* tenancy.findOrganization(organizationId)) === undefined) return
  const createdAt = yield* DateTime.now
  yield* atomic(
    tallyActivity({
      key: `login.refused ${provider} ${reason}`,
      count: 1,
      entry: {
        organizationId,
        workspaceId: null,
        action: "login.refused",
        actor: { type: "user", id: "unknown", label: "Somebody" },
        summary: `A login through ${provider} was refused: ${REASONS[reason]}`,
        resourceType: "login",
        resourceId: provider,
        payload: { provider, reason, client_address: clientAddress ?? null },
        createdAt
      }
    })
  )
})
