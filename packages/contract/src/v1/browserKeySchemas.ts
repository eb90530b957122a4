/** Keys that a page in a browser reads one run or one session with. */
import { BROWSER_KEY_SECONDS_MAX } from "@agent-platform/keys"
import { id, integer, nullableText, orElse, time } from "./formats.ts"
import { wire } from "./wire.ts"

/** The body that asks for a browser key. */
export const NewBrowserKey = wire(
  {
    expiresInSeconds: orElse(
      integer("When the key ends at the latest, as seconds from now", 1, BROWSER_KEY_SECONDS_MAX).annotate({
        default: BROWSER_KEY_SECONDS_MAX
      }),
      BROWSER_KEY_SECONDS_MAX
    )
  },
  { identifier: "NewBrowserKey", description: "A browser key to make", examples: [{ expires_in_seconds: 300 }] }
)

const keyFields = {
  id: id("The key's id, by which it can be revoked"),
  key: nullableText("The key's value. Shown this once: null when the request is repeated under its Idempotency-Key"),
  expiresAt: time("When it ends at the latest")
}

/** A key that reads one run. */
export const RunBrowserKey = wire(
  { ...keyFields, runId: id("The run that it reads") },
  { identifier: "RunBrowserKey", description: "A new key that reads one run" }
)

/** A key that reads one session. */
export const SessionBrowserKey = wire(
  { ...keyFields, sessionId: id("The session that it reads, with its runs") },
  { identifier: "SessionBrowserKey", description: "A new key that reads one session" }
)
