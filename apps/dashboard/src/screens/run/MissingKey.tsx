import type { Run } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import { useSession } from "../../session/SessionContext.tsx"
import { buttonClasses } from "../../ui/Button.tsx"

/** Leads on from a run that failed for want of a key of its model's provider. */
export const MissingKey = ({ run: { error_code } }: { readonly run: Run }) => {
  const session = useSession()
  const isForKey = error_code === "provider_key_missing" || error_code === "credential_invalid"
  if (!isForKey || !session.can("byok:read")) return null
  return (
    <section aria-label="Key missing" className="flex flex-wrap items-center gap-3 border-t border-line p-4">
      <p className="min-w-0 flex-1">
        Models are called with keys that the workspace has registered at their providers.
      </p>
      <Link to="/keys/providers" className={buttonClasses("primary")}>
        Keys of model providers
      </Link>
    </section>
  )
}
