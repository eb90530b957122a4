/** Organizations with their workspaces and members, logins, and API keys, provider keys and tool secrets. */
export { ALLOWED_IPS_MAX, admitsAddress, canonicalNetworks, parseNetwork } from "./AllowedIps.ts"
export {
  AddressNotAllowed,
  type ApiKey,
  type ApiKeyChange,
  ApiKeyId,
  ApiKeyNotFound,
  ApiKeySettled,
  type ApiKeyState,
  ApiKeyStatus,
  ApiKeyVersionConflict,
  CredentialRefused,
  CredentialUnknown,
  GRACE_SECONDS_MAX,
  type KeyMaker,
  type KeyRefusal,
  type KeyResource,
  scopesOfKind,
  statusOf
} from "./ApiKey.ts"
export { EMAIL_LENGTH_MAX, parseEmail } from "./Email.ts"
export { keyEventKinds } from "./events.ts"
export { HOST_PATTERN_LENGTH_MAX, HostPattern, parseHostPattern, patternsFor } from "./HostPattern.ts"
export { DEFAULT_KEY_FORMS, KeyForms } from "./KeyForms.ts"
export {
  AddressNotGrantable,
  ExpiryNotGrantable,
  type GrantRefused,
  type KeyGrantor,
  RoleNotGrantable,
  ScopeLost,
  ScopeNotGrantable
} from "./KeyGrant.ts"
export { Keys, type KeysPorts } from "./Keys.ts"
export { generateKeyValue, hashKeyValue, hintOf, KeyKind, MalformedCredential, parseKeyValue } from "./KeyValue.ts"
export {
  endOf,
  LOGIN_MINUTES_MAX,
  LOGINS_UNDER_WAY_MAX,
  type LoginAttempt,
  type LoginSession,
  LoginSessionId,
  LoginSessionNotFound,
  LoginStateInvalid,
  NotInvited,
  SESSION_DAYS_MAX,
  SESSION_IDLE_DAYS_MAX,
  TooManyLogins
} from "./LoginSession.ts"
export { Logins, type LoginsPorts } from "./Logins.ts"
export { loginNetworkOf } from "./loginNetworkOf.ts"
export {
  type Member,
  MemberId,
  MemberNotFound,
  MemberStatus,
  memberStatusOf,
  roleIn,
  type User,
  UserId,
  type WorkspaceGrant
} from "./Member.ts"
export {
  GRANTS_MAX,
  InvitationInvalid,
  isSamePart,
  keepsAnOwner,
  LastOwner,
  partFault,
  partRefusalOf
} from "./Membership.ts"
export { KEY_MEASURES } from "./measures.ts"
export {
  BaseUrlMisplaced,
  KeyFallback,
  mayServe,
  needsBaseUrl,
  PRIORITY_DEFAULT,
  PRIORITY_MAX,
  PROVIDER_KEY_LENGTH_MAX,
  Provider,
  type ProviderKey,
  ProviderKeyChanged,
  type ProviderKeyError,
  ProviderKeyErrorCode,
  ProviderKeyId,
  ProviderKeyLimitReached,
  ProviderKeyMissing,
  ProviderKeyNotFound,
  ProviderKeyRevoked,
  ProviderKeyStatus,
  ProviderKeyUnreadable,
  ProviderRejectedKey,
  providerKeyPlace
} from "./ProviderKey.ts"
export * as ProviderKeyHealth from "./ProviderKeyHealth.ts"
export {
  afterProbe,
  LIMITED_SECONDS_MAX,
  type Limit,
  type ProbeOutcome,
  providerKeyStatusAt
} from "./ProviderKeyHealth.ts"
export { ProviderKeys, type ProviderKeysPorts } from "./ProviderKeys.ts"
export { type ProviderKeySettings, providerKeySettings } from "./ProviderKeyTemplate.ts"
export { providerKeyFingerprint, providerKeyHint, shownProviderCode } from "./ProviderKeyValue.ts"
export { ApiKeyStore, type ExpiryWindow, type KeyOwner, type KeyUsed, USE_APART_SECONDS } from "./ports/ApiKeyStore.ts"
export {
  type AuthorizeRequest,
  type IdentifyRequest,
  type Identity,
  IdentityProvider,
  LoginRefused,
  ProviderUnknown,
  ProviderUnreachable
} from "./ports/IdentityProvider.ts"
export { type KeptTenant, KeyEraser } from "./ports/KeyEraser.ts"
export { type FoundSession, LoginStore } from "./ports/LoginStore.ts"
export { MemberStore } from "./ports/MemberStore.ts"
export { type PlatformKey, PlatformKeys } from "./ports/PlatformKeys.ts"
export {
  type ProviderKeyChange,
  type ProviderKeyChanges,
  ProviderKeyStore,
  type SealedProviderKey
} from "./ports/ProviderKeyStore.ts"
export { type ProbeQuestion, ProviderProbe } from "./ports/ProviderProbe.ts"
export { type Limited, type LimitedKey, type LimitedWorkspace, limitedId, RateLimits } from "./ports/RateLimits.ts"
export { ERASED_AS_ONE, TenancyStore } from "./ports/TenancyStore.ts"
export { type SealedToolSecret, ToolSecretStore } from "./ports/ToolSecretStore.ts"
export { type Spending, type SpendStatus, WorkspaceSpend } from "./ports/WorkspaceSpend.ts"
export {
  nanosPerRequest,
  RATE_LIMIT_MAX,
  RATE_LIMIT_WINDOW_SECONDS_MAX,
  type RateLimit,
  type RateLimitReading,
  readingOf,
  takeRequests
} from "./RequestBucket.ts"
export { OrganizationRole, type Role, scopesOfRole, WorkspaceRole } from "./Role.ts"
export { NAMED_SCOPES, ORGANIZATION_SCOPES, platformScopes, Scope, WORKSPACE_SCOPES } from "./Scope.ts"
export { isSameCap } from "./SpendCap.ts"
export {
  type SpendMonth,
  type SpendPeriod,
  spendMonthAt,
  spendMonthNamed,
  spendPeriod,
  withTimezone
} from "./SpendPeriod.ts"
export { sealedProviderKeys } from "./sealedProviderKeys.ts"
export { sealedToolSecrets } from "./sealedToolSecrets.ts"
export { Tenancy, type TenancyPorts } from "./Tenancy.ts"
export {
  ClientAuthMethod,
  OAUTH_HEADER,
  type OAuthClient,
  TOOL_SECRET_LENGTH_MAX,
  TOOL_SECRET_LENGTH_MIN,
  type ToolSecret,
  ToolSecretChanged,
  ToolSecretId,
  ToolSecretMismatch,
  ToolSecretNotFound,
  ToolSecretTaken,
  ToolSecretUnreadable,
  toolSecretPlace
} from "./ToolSecret.ts"
export { ToolSecrets, type ToolSecretsPorts } from "./ToolSecrets.ts"
export { type ToolSecretSettings, toolSecretSettings } from "./ToolSecretTemplate.ts"
export type { Authenticate, Authenticated } from "./use-cases/api-keys/authenticate.ts"
export type { CreateApiKey, CreatedApiKey } from "./use-cases/api-keys/createApiKey.ts"
export { BROWSER_KEY_SECONDS_MAX } from "./use-cases/api-keys/createBrowserKey.ts"
export { GRANT_SECONDS_MAX } from "./use-cases/api-keys/createWebhookGrant.ts"
export { pruneTemporaryKeys } from "./use-cases/api-keys/pruneTemporaryKeys.ts"
export type { RotateApiKey, RotatedApiKey } from "./use-cases/api-keys/rotateApiKey.ts"
export type { UpdateApiKey } from "./use-cases/api-keys/updateApiKey.ts"
export { warnOfExpiry } from "./use-cases/api-keys/warnOfExpiry.ts"
export type { BeginLogin, BegunLogin } from "./use-cases/login/beginLogin.ts"
export type { CompletedLogin, CompleteLogin } from "./use-cases/login/completeLogin.ts"
export { pruneLogins } from "./use-cases/login/pruneLogins.ts"
export type { RecognisedSession } from "./use-cases/login/recogniseSession.ts"
export type { ChooseProviderKeys, KeyCandidate } from "./use-cases/provider-keys/chooseProviderKeys.ts"
export { followProviderKey } from "./use-cases/provider-keys/followProviderKey.ts"
export {
  changedProviderKeyTemplate,
  newProviderKeyTemplate,
  revokedProviderKeyTemplate
} from "./use-cases/provider-keys/providerKeyTemplates.ts"
export type { RegisterProviderKey } from "./use-cases/provider-keys/registerProviderKey.ts"
export type { ReportKeyLimited } from "./use-cases/provider-keys/reportKeyLimited.ts"
export type { ReportKeyRejected } from "./use-cases/provider-keys/reportKeyRejected.ts"
export type { UpdateProviderKey } from "./use-cases/provider-keys/updateProviderKey.ts"
export type { CreateWorkspace } from "./use-cases/tenancy/createWorkspace.ts"
export type { FoundOrganization } from "./use-cases/tenancy/foundOrganization.ts"
export type { InviteMember } from "./use-cases/tenancy/inviteMember.ts"
export type { ListingCaller, ReachableWorkspace } from "./use-cases/tenancy/listReachableWorkspaces.ts"
export type { RemoveMember } from "./use-cases/tenancy/removeMember.ts"
export type { UpdateWorkspace } from "./use-cases/tenancy/updateWorkspace.ts"
export type { CreateToolSecret } from "./use-cases/tool-secrets/createToolSecret.ts"
export { followToolSecret } from "./use-cases/tool-secrets/followToolSecret.ts"
export type { OpenedToolSecret } from "./use-cases/tool-secrets/openToolSecrets.ts"
export {
  changedToolSecretTemplate,
  newToolSecretTemplate,
  type ToolSecretTemplateChange
} from "./use-cases/tool-secrets/toolSecretTemplates.ts"
export type { UpdateToolSecret } from "./use-cases/tool-secrets/updateToolSecret.ts"
export {
  type KeptWorkspace,
  nextTimezoneAt,
  type Organization,
  OrganizationNotFound,
  RETENTION_DAYS_MAX,
  RETENTION_DAYS_MIN,
  TimezoneUnknown,
  timezoneAt,
  type Workspace,
  WorkspaceNotFound
} from "./Workspace.ts"
export { WorkspaceSetup } from "./WorkspaceSetup.ts"
