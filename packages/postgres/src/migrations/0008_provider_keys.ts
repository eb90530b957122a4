/** The workspaces' own keys for model providers. */
import { statements } from "./statements.ts"

export const providerKeys = statements([])
