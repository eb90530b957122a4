/** Logins of people. */
import { statements } from "./statements.ts"

export const logins = statements([
  // Written for people who are not known yet, so it belongs to no tenant; what was asked for may not exist.
  `create table login_attempt (
    hash text collate "C" primary key,
    provider text not null,
    return_to text not null,
    asked_organization_id uuid,
    expires_at timestamptz not null
  )`,
  `create index login_attempt_expires_at on login_attempt (expires_at)`,

  // Whose session it is follows from the member, and the session goes when the member does.
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
  `create index login_session_expires_at on login_session (expires_at)`
])
