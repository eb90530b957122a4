/** Logins of people. */
import { statements } from "./statements.ts"

export const logins = statements([])
