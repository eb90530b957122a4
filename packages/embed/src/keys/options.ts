/** The options of `createKeys`, checked before anything else happens. */
import { DEFAULT_QUOTAS } from "@agent-platform/kernel"
import { type Place, placeOf } from "../internal/database.ts"
import { invalidOption, wholeOption } from "../internal/inputs.ts"

/** `database` or `memory: true`, and `scopes`; all else has a default. */
export type KeysOptions<Scope extends string = string> = Place & {
  /** All scopes that keys of this service can have. Take one away only once no key has it. */
  readonly scopes: ReadonlyArray<Scope>
  /** The beginning of every key, as `acme_live_`; `key_` by default. Once it is changed, keys with the old one are malformed. */
  readonly prefix?: string | undefined
  /** Most keys of a tenant that are neither revoked nor expired; 1,000 by default. */
  readonly keysMax?: number | undefined
}

const SCOPES_MAX = 200
const KEYS_MAX = 1_000_000

/** The options in force. */
export const readOptions = <Scope extends string>(options: KeysOptions<Scope>) => {
  const { keysMax = DEFAULT_QUOTAS.api_keys, log, prefix = "key_", scopes } = options
  const installation = placeOf("keys", options)
  if (!Array.isArray(scopes) || scopes.length === 0 || scopes.length > SCOPES_MAX) {
    throw invalidOption(`scopes is a list of 1 to ${SCOPES_MAX} names`)
  }
  const wrong = scopes.find(
    (scope) => typeof scope !== "string" || !/^[A-Za-z0-9][A-Za-z0-9_.:*/-]{0,127}$/.test(scope)
  )
  if (wrong !== undefined) {
    throw invalidOption(`A scope is 1 to 128 letters, digits, _, ., :, *, / and -: ${JSON.stringify(wrong)} is not`)
  }
  if (typeof prefix !== "string" || !/^[A-Za-z][A-Za-z0-9_]{0,30}_$/.test(prefix)) {
    throw invalidOption(
      `prefix is 2 to 32 letters, digits and _, begins with a letter and ends with _: ${JSON.stringify(prefix)} is not`
    )
  }
  return {
    installation,
    scopes: [...new Set(scopes)],
    prefix,
    keysMax: wholeOption("keysMax", keysMax, 1, KEYS_MAX),
    log
  }
}

export type KeysSettings = ReturnType<typeof readOptions>
