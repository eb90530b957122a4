/** Roles and invitations of keys; the key of fingerprints. Digests that were made without it are dropped. */
import { statements } from "./statements.ts"

export const credentials = statements([
  // Those that are there were made before admins' keys stood for less than owners'.
  `alter table api_key add column organization_role text check (organization_role in ('owner', 'admin'))`,
  `update api_key set organization_role = 'owner' where kind = 'organization'`,
  // For the keys that a key has made.
  `create index api_key_creator on api_key (organization_id, created_by_id)`,

  `alter table member
    add column invited_by_key uuid,
    add foreign key (organization_id, invited_by_key) references api_key (organization_id, id)`,
  `update member set invited_by_key = api_key.id from api_key
    where api_key.organization_id = member.organization_id and api_key.id::text = member.invited_by_id`,

  // One row: the key is the deployment's. It lies sealed, and is made by the first process that needs it.
  `create table fingerprint_key (
    id boolean primary key default true check (id),
    sealed_key text not null
  )`,
  // Digests of bodies cannot be made anew without the bodies. Those of provider keys are, by the job that asks providers.
  `delete from idempotency_key`,
  `update provider_key set fingerprint = ''`
])
