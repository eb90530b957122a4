/** Logins through identity providers: the IdentityProvider port over openid-client. */
export type { OAuthOptions } from "./OAuthIdentityProvider.ts"
export * as OAuthIdentityProvider from "./OAuthIdentityProvider.ts"
export type { OpenIdOptions } from "./OpenIdProvider.ts"
