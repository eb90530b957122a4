/** Security headers of every response: it is for its caller alone, and its type is the one that it names. */

/** Forbids everything. The few pages for browsers set a policy of their own. */
const NOTHING_ACTIVE = "default-src 'none'; frame-ancestors 'none'"

/** A browser that came by TLS once uses nothing else for a year. */
const TLS_ONLY = "max-age=31536000"

/** The security headers of a service at `baseUrl`. A response's own headers go before them. */
export const securityHeaders = (baseUrl: string): Readonly<Record<string, string>> => ({
  "cache-control": "no-store",
  "content-security-policy": NOTHING_ACTIVE,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-site",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  ...(baseUrl.startsWith("https://") ? { "strict-transport-security": TLS_ONLY } : {})
})
