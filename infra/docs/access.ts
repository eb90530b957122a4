/** Who may call an operation, in the words of the pages. */
import type { Operation } from "./openApi.ts"

/** The scope and the callers of an operation. */
export const accessOf = (operation: Operation): { readonly scope: string; readonly callers: string } => ({
  scope: operation["x-required-scopes"].map((scope) => `\`${scope}\``).join(", ") || "none",
  callers: operation["x-callers"]
})
