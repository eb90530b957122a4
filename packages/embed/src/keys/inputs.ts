/** Checks of inputs, as far as the domain trusts its callers. */
import { parseId } from "@agent-platform/kernel"
import { ALLOWED_IPS_MAX, ApiKeyId, canonicalNetworks } from "@agent-platform/keys"
import { EmbedError } from "../internal/EmbedError.ts"
import { invalid } from "../internal/inputs.ts"
import { unkept } from "../internal/tenant.ts"

const NAME_LENGTH_MAX = 100
const PAIRS_MAX = 16
const PAIR_NAME_LENGTH_MAX = 64
const PAIR_VALUE_LENGTH_MAX = 500
const NETWORK_LENGTH_MAX = 64

export const readKeyId = (id: string): ApiKeyId => {
  const read = parseId(ApiKeyId, id)
  if (read === undefined) throw new EmbedError("key_not_found", "The tenant has no key of this id")
  return read
}

const text = (what: string, value: unknown, min: number, max: number): string => {
  if (typeof value !== "string" || value.length < min || value.length > max) {
    throw invalid(`${what} is a text of ${min} to ${max} characters`)
  }
  const why = unkept(value)
  if (why === undefined) return value
  throw invalid(`${what} ${why}`)
}

export const readName = (name: string): string => text("name", name, 1, NAME_LENGTH_MAX)

export const readNetworks = (networks: ReadonlyArray<string>): ReadonlyArray<string> => {
  const areTexts =
    Array.isArray(networks) &&
    networks.length <= ALLOWED_IPS_MAX &&
    networks.every((network) => typeof network === "string" && network.length <= NETWORK_LENGTH_MAX)
  const read = areTexts ? canonicalNetworks(networks) : undefined
  if (read !== undefined) return read
  throw invalid(
    `allowedIps is a list of at most ${ALLOWED_IPS_MAX} addresses or networks such as 203.0.113.0/24, without bits beyond the prefix`
  )
}

export const readMetadata = (metadata: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)
  if (!isObject || Object.keys(metadata).length > PAIRS_MAX) {
    throw invalid(`metadata is an object of at most ${PAIRS_MAX} texts`)
  }
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      text("A name in metadata", name, 1, PAIR_NAME_LENGTH_MAX),
      text("A value in metadata", value, 0, PAIR_VALUE_LENGTH_MAX)
    ])
  )
}

/** Reads lists of scopes that were declared. */
export const makeScopeReader = <Scope extends string>(declared: ReadonlyArray<Scope>) => {
  const isDeclared = (scope: string): scope is Scope => declared.some((one) => one === scope)
  return {
    isDeclared,
    read: (scopes: ReadonlyArray<string>): ReadonlyArray<Scope> => {
      if (!Array.isArray(scopes)) throw invalid("scopes is a list of scopes")
      const wrong = scopes.find((scope) => typeof scope !== "string" || !isDeclared(scope))
      if (wrong === undefined) return scopes.filter(isDeclared)
      throw new EmbedError(
        "scope_unknown",
        `There is no scope ${JSON.stringify(wrong)}. There are: ${declared.join(", ")}`,
        { scope: wrong }
      )
    }
  }
}
