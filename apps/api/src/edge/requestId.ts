import { randomUUID } from "node:crypto"
import { withoutCredentials } from "./withoutCredentials.ts"

/** Up to 128 visible ASCII characters: safe in a header, in a log line and in JSON. */
const SANE = /^[\x21-\x7e]{1,128}$/

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isUsable = (header: string): boolean =>
  UUID.test(header) || (SANE.test(header) && withoutCredentials(header) === header)

/** The caller's own id for its request if it is well formed and no credential, else a fresh id. */
export const requestIdOf = (header: string | undefined): string =>
  header !== undefined && isUsable(header) ? header : randomUUID()
