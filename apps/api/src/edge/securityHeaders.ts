/** Headers that every answer carries, whatever it is: it is for its caller alone, and is what it says it is. */

/** A page that is opened needs more, and says so itself. */
const NOTHING_ACTIVE = "default-src 'none'; frame-ancestors 'none'"

/** Once a browser has been here by TLS, it comes by nothing else for a year. */
const TLS_ONLY = "max-age=31536000"

/** Those of a service at this address; what an answer says itself goes before them. */
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
