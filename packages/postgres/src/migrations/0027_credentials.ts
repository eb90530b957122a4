/** The key of fingerprints, and nothing left of what was hashed without it. */
import { statements } from "./statements.ts"

export const credentials = statements([
  // One row: the key is the deployment's. It lies sealed, and is made by the first process that needs it.
  `create table fingerprint_key (
    id boolean primary key default true check (id),
    sealed_key text not null
  )`,
  // Digests of bodies cannot be made anew without the bodies. Those of provider keys are, by the job that asks providers.
  `delete from idempotency_key`,
  `update provider_key set fingerprint = ''`
])
