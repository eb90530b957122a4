/** Organizations, workspaces and API keys. */
export {
  type ApiKey,
  ApiKeyId,
  ApiKeyNotFound,
  ApiKeyStatus,
  CredentialRefused,
  CredentialUnknown,
  ExpiryNotGrantable,
  ScopeNotGrantable,
  scopesOfKind,
  statusOf
} from "./ApiKey.ts"
export { Keys, type KeysPorts } from "./Keys.ts"
export { generateKeyValue, hashKeyValue, hintOf, KeyKind, MalformedCredential, parseKeyValue } from "./KeyValue.ts"
export { type Member, MemberId, MemberNotFound, roleIn, type User, UserId, type WorkspaceGrant } from "./Member.ts"
export { ApiKeyStore, type KeyOwner } from "./ports/ApiKeyStore.ts"
export { MemberStore } from "./ports/MemberStore.ts"
export { TenancyStore } from "./ports/TenancyStore.ts"
export { OrganizationRole, type Role, scopesOfRole, WorkspaceRole } from "./Role.ts"
export { ORGANIZATION_SCOPES, Scope, WORKSPACE_SCOPES } from "./Scope.ts"
export type { Authenticate, Authenticated } from "./use-cases/authenticate.ts"
export type { CreateApiKey, CreatedApiKey } from "./use-cases/createApiKey.ts"
export { type Organization, TimezoneUnknown, type Workspace, WorkspaceNotFound } from "./Workspace.ts"
