/** Organizations, workspaces, people, and everything that they authenticate with. */
import type { Step } from "./Step.ts"

const RATE = `
    request_limit integer not null,
    window_seconds integer not null,
    full_at_nanos bigint not null`

/** Keys and their owners. */
const keyTables = [
  // From closed_at on an organization or a workspace is being erased, and nobody gets in any more. From erased_at on nothing of it
  // is left but its id, which the sums of the ledger refer to.
  `create table organization (
    id uuid primary key,
    name text not null,
    created_at timestamptz not null,
    closed_at timestamptz,
    erased_at timestamptz check (erased_at is null or name = '')
  )`,

  // The tenant leads every key, so that a foreign key cannot reach another tenant's row.
  `create table workspace (
    organization_id uuid not null references organization (id),
    id uuid not null unique,
    name text not null,
    timezone text not null,
    monthly_cap_usd numeric(24, 12) check (monthly_cap_usd >= 0),
    allow_platform_keys boolean not null default false,
    next_timezone text,
    next_timezone_from timestamptz,
    retention_days integer check (retention_days >= 1),
    created_at timestamptz not null,
    closed_at timestamptz,
    erased_at timestamptz check (erased_at is null or name = ''),
    primary key (organization_id, id),
    check ((next_timezone is null) = (next_timezone_from is null))
  )`,

  // For the job that forgets runs of workspaces with a shorter retention than the deployment's.
  `create index workspace_retained on workspace (id) where retention_days is not null`,

  // `replaced_by`: the successor, of the same organization and, for a workspace key, of the same workspace. The replaced key is updated
  // first, so that of two rotations at once only one inserts a successor; that is why the reference is checked at the commit.
  // `expiry_warned`: the `expires_at` of which a warning was given. `bound_…`: the key or session that a temporary key ends with.
  // `reads_…`: the run or session that a browser key reads.
  `create table api_key (
    organization_id uuid not null references organization (id),
    workspace_id uuid,
    id uuid not null,
    kind text not null check (kind in ('workspace', 'organization')),
    organization_role text check (organization_role in ('owner', 'admin')),
    name text not null,
    hash text collate "C" not null,
    hint text not null,
    scopes text[] not null,
    metadata jsonb not null,
    disabled boolean not null,
    version integer not null check (version >= 1),
    allowed_ips text[] not null default '{}',
    rate_limit integer check (rate_limit between 1 and 1000000),
    rate_window_seconds integer check (rate_window_seconds between 1 and 86400),
    created_at timestamptz not null,
    created_by_type text not null,
    created_by_id text not null,
    created_by_label text not null,
    expires_at timestamptz,
    expiry_warned timestamptz,
    revoked_at timestamptz,
    replaced_by uuid,
    last_used_at timestamptz,
    bound_type text check (bound_type in ('api_key', 'session')),
    bound_id uuid,
    reads_type text check (reads_type in ('run', 'session')),
    reads_id uuid,
    primary key (organization_id, id),
    check ((bound_type is null) = (bound_id is null)),
    check ((reads_type is null) = (reads_id is null)),
    check (bound_type is not null or reads_type is null),
    check (bound_type is null or expires_at is not null and replaced_by is null),
    constraint api_key_of_owner unique (organization_id, workspace_id, id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    foreign key (organization_id, replaced_by) references api_key (organization_id, id) deferrable initially deferred,
    foreign key (organization_id, workspace_id, replaced_by) references api_key (organization_id, workspace_id, id)
      deferrable initially deferred,
    check ((kind = 'workspace') = (workspace_id is not null)),
    check ((rate_limit is null) = (rate_window_seconds is null))
  )`,
  `create unique index api_key_hash on api_key (hash)`,
  // For the keys that a key has made.
  `create index api_key_creator on api_key (organization_id, created_by_id) where bound_type is null`,
  `create index api_key_replaced on api_key (replaced_by) where replaced_by is not null`,
  `create index api_key_expiring on api_key (expires_at)
    where revoked_at is null and replaced_by is null and not disabled and expires_at is distinct from expiry_warned
      and bound_type is null`,
  // For the quota, which counts a tenant's living keys before another is made.
  `create index api_key_live on api_key (organization_id, workspace_id, (coalesce(expires_at, 'infinity')))
    where revoked_at is null and bound_type is null`,
  // Temporary keys come and go by the thousand. The key or session that one is bound to may be deleted first, so no foreign key holds it.
  `create index api_key_temporary on api_key (organization_id, workspace_id, expires_at)
    where revoked_at is null and bound_type is not null`,
  `create index api_key_over on api_key (expires_at) where bound_type is not null`,
  // Lists leave out keys for browsers, which read one run or session.
  `create index api_key_listed on api_key (organization_id, workspace_id, id) where reads_type is null`
]

const tables = [
  // A person belongs to no tenant: the same one may be a member of several organizations.
  `create table app_user (
    id uuid primary key,
    issuer text not null,
    subject text not null,
    email text not null,
    name text not null,
    created_at timestamptz not null,
    unique (issuer, subject)
  )`,

  // One row for each key or workspace that has a limit and was used. Unlogged: a count that is lost in a crash begins anew, and
  // no request waits for the disk. No index holds what changes, so that rows are rewritten in place.
  `create unlogged table api_key_rate (
    organization_id uuid not null,
    key_id uuid not null,${RATE},
    primary key (organization_id, key_id),
    foreign key (organization_id, key_id) references api_key (organization_id, id) on delete cascade
  ) with (fillfactor = 50)`,
  `create unlogged table workspace_rate (
    organization_id uuid not null,
    workspace_id uuid not null,${RATE},
    primary key (organization_id, workspace_id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  ) with (fillfactor = 50)`,

  `create table member (
    organization_id uuid not null references organization (id),
    id uuid not null,
    email text not null,
    organization_role text check (organization_role in ('owner', 'admin')),
    user_id uuid references app_user (id),
    invited_by_type text not null,
    invited_by_id text not null,
    invited_by_label text not null,
    invited_by_key uuid,
    invited_at timestamptz not null,
    joined_at timestamptz,
    primary key (organization_id, id),
    unique (organization_id, email),
    unique (organization_id, user_id),
    foreign key (organization_id, invited_by_key) references api_key (organization_id, id),
    check ((user_id is null) = (joined_at is null))
  )`,
  `create index member_user on member (user_id) where user_id is not null`,
  `create index member_invited_by on member (invited_by_key) where invited_by_key is not null`,
  `create index member_invited on member (email) where user_id is null`,

  `create table member_workspace (
    organization_id uuid not null,
    member_id uuid not null,
    workspace_id uuid not null,
    role text not null check (role in ('member', 'viewer')),
    primary key (organization_id, member_id, workspace_id),
    foreign key (organization_id, member_id) references member (organization_id, id) on delete cascade,
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  )`,

  // A login under way. Its person is not known yet, so it belongs to no tenant, and the organization that was asked for may not
  // exist. Logins that are not completed are counted by network.
  `create table login_attempt (
    hash text collate "C" primary key,
    provider text not null,
    return_to text not null,
    asked_organization_id uuid,
    client_network text not null,
    expires_at timestamptz not null
  )`,
  `create index login_attempt_expires_at on login_attempt (expires_at)`,
  `create index login_attempt_network on login_attempt (client_network, expires_at)`,

  // A session belongs to the person of its member, and is deleted with the member.
  `create table login_session (
    organization_id uuid not null,
    member_id uuid not null,
    id uuid not null unique,
    hash text collate "C" not null,
    provider text not null,
    user_agent text,
    client_address text,
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz,
    primary key (organization_id, id),
    foreign key (organization_id, member_id) references member (organization_id, id) on delete cascade
  )`,
  `create unique index login_session_hash on login_session (hash)`,
  `create index login_session_member on login_session (organization_id, member_id)`,
  `create index login_session_expires_at on login_session (expires_at)`,

  // A revoked key has no value any more: the check keeps a statement from setting the one without the other.
  `create table provider_key (
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    provider text not null,
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
    check ((provider in ('openai', 'anthropic', 'google')) = (base_url is null)),
    check ((last_error_code is null) = (last_error_at is null))
  )`,
  // For choosing a key: those of a provider in the order in which they are tried.
  `create index provider_key_choice on provider_key (workspace_id, provider, priority, id) where status <> 'revoked'`,
  // For walks over the keys of every workspace.
  `create unique index provider_key_id on provider_key (id)`,

  `create table tool_secret (
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    name text not null,
    host_pattern text collate "C" not null,
    header text collate "C" not null,
    sealed text not null,
    oauth_token_url text,
    oauth_client_id text,
    oauth_scope text,
    oauth_auth_method text check (oauth_auth_method in ('client_secret_basic', 'client_secret_post')),
    version integer not null check (version >= 1),
    created_at timestamptz not null,
    created_by_type text not null,
    created_by_id text not null,
    created_by_label text not null,
    updated_at timestamptz not null,
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    unique (workspace_id, name),
    check (num_nulls(oauth_token_url, oauth_client_id, oauth_auth_method) in (0, 3)),
    check (oauth_scope is null or oauth_token_url is not null)
  )`,
  // For each request of a tool: which secrets fit its host.
  `create unique index tool_secret_host on tool_secret (workspace_id, host_pattern, header)`,
  // For walks over the secrets of every workspace.
  `create unique index tool_secret_id on tool_secret (id)`,

  // Templates are here because they refer to organizations; the rows that follow one may be another domain's.
  `create table template (
    organization_id uuid not null references organization (id),
    id uuid not null,
    kind text not null check (kind in ('agent', 'provider_key', 'tool_secret')),
    settings jsonb not null,
    sealed text,
    version integer not null check (version >= 1),
    value_version integer not null check (value_version between 1 and version),
    created_at timestamptz not null,
    created_by_type text not null check (created_by_type in ('user', 'agent', 'system')),
    created_by_id text not null,
    updated_at timestamptz not null,
    spread_after uuid,
    spread_done integer not null check (spread_done >= 0),
    spread_total integer not null check (spread_total >= 0),
    spread_turns integer not null check (spread_turns >= 0),
    spread_ended_at timestamptz,
    primary key (organization_id, id)
  )`,
  // For walks over the values of every organization.
  `create unique index template_id on template (id)`,
  `create table template_member (
    organization_id uuid not null,
    workspace_id uuid not null,
    template_id uuid not null,
    resource_id uuid,
    version integer not null check (version >= 1),
    overridden text[] not null,
    fault text check (fault in ('taken', 'quota_exceeded', 'revoked', 'conflict')),
    primary key (workspace_id, template_id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    foreign key (organization_id, template_id) references template (organization_id, id) on delete cascade,
    check (resource_id is not null or fault is not null)
  )`,
  // For each change of a row by its workspace.
  `create unique index template_member_resource on template_member (workspace_id, resource_id)`,
  // For lists of a template's members, and for its end.
  `create index template_member_template on template_member (organization_id, template_id, workspace_id)`,
  `create index template_member_workspace on template_member (organization_id, workspace_id)`
]

export const keys: ReadonlyArray<Step> = [{ name: "first", statements: () => [...keyTables, ...tables] }]

/** Keys alone, for services that embed them: their tenants are organizations without workspaces. */
export const keyring: ReadonlyArray<Step> = [{ name: "first", statements: () => keyTables }]
