import { describe, layer as suite } from "@effect/vitest"
import type { Layer } from "effect"
import { loginAttemptCases } from "./loginAttempts.ts"
import { loginSessionCases } from "./loginSessions.ts"
import type { LoginStoreContractPorts } from "./storedLogins.ts"

export type { LoginStoreContractPorts } from "./storedLogins.ts"

/** The contract of every store of logins and sessions. */
export const loginStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<LoginStoreContractPorts, E>) =>
  describe(`login store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      loginAttemptCases(it)
      loginSessionCases(it)
    })
  })
