/** What keys are limited to, and how they are replaced. */
import { statements } from "./statements.ts"

export const apiKeys = statements([])
