/** Checks of those inputs that the domain takes from its callers without a check. */
import { ALLOWED_IPS_MAX, ApiKeyId, canonicalNetworks } from "@agent-platform/keys"
import { EmbedError } from "../internal/EmbedError.ts"
import { invalid, makeIdReader, readText } from "../internal/inputs.ts"
import { NO_KEY } from "./errors.ts"

const NAME_LENGTH_MAX = 100
const NETWORK_LENGTH_MAX = 64

export const readKeyId = makeIdReader(ApiKeyId, NO_KEY)

export const readName = (name: string): string => readText("name", name, 1, NAME_LENGTH_MAX)

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
