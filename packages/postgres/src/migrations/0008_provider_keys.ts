/** The workspaces' own keys for model providers. */
import { statements } from "./statements.ts"

export const providerKeys = statements([
  // A revoked key has no value any more: the check keeps a statement from setting the one without the other.
  `create table provider_key (
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    provider text not null check (provider in ('openai', 'anthropic', 'google', 'openai_compatible')),
    name text not null,
    hint text not null,
    fingerprint text not null,
    sealed text,
    status text not null
      check (status in ('active', 'unverified', 'rate_limited', 'quota_exhausted', 'invalid', 'revoked')),
    limited_until timestamptz,
    priority integer not null,
    fallback text not null check (fallback in ('none', 'platform')),
    allowed_models text[],
    base_url text,
    version integer not null check (version >= 1),
    created_at timestamptz not null,
    created_by_type text not null,
    created_by_id text not null,
    created_by_label text not null,
    last_used_at timestamptz,
    last_validated_at timestamptz,
    last_error_code text,
    last_error_provider_status integer,
    last_error_provider_code text,
    last_error_at timestamptz,
    revoked_at timestamptz,
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    check ((status = 'revoked') = (revoked_at is not null)),
    check ((status = 'revoked') = (sealed is null)),
    check ((status in ('rate_limited', 'quota_exhausted')) = (limited_until is not null)),
    check ((provider = 'openai_compatible') = (base_url is not null)),
    check ((last_error_code is null) = (last_error_at is null))
  )`,
  // For each choice of a key: those of a provider in the order in which they are tried.
  `create index provider_key_choice on provider_key (workspace_id, provider, priority, id) where status <> 'revoked'`,
  // For walks over the keys of every workspace.
  `create unique index provider_key_id on provider_key (id)`
])
