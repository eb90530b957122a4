import { Context } from "effect"
import { scopesOfKind } from "./ApiKey.ts"
import type { KeyKind } from "./KeyValue.ts"
import { NAMED_SCOPES } from "./Scope.ts"

/** The form of the keys of a kind. */
export interface KeyForm {
  /** The beginning of every value: letters, digits and `_`. */
  readonly prefix: string
  /** The scopes that such a key can have, and has when its maker names none. */
  readonly scopes: ReadonlyArray<string>
  /** Further scopes, which it has only when they are named. */
  readonly namedScopes?: ReadonlyArray<string> | undefined
}

/** The forms of keys where nobody has others: the prefixes and scopes of this product. */
export const DEFAULT_KEY_FORMS: Readonly<Record<KeyKind, KeyForm>> = {
  workspace: { prefix: "apk_ws_", scopes: scopesOfKind("workspace"), namedScopes: NAMED_SCOPES },
  organization: { prefix: "apk_org_", scopes: scopesOfKind("organization"), namedScopes: NAMED_SCOPES }
}

/** The forms in force: `DEFAULT_KEY_FORMS`, unless an embedder has its own. */
export const KeyForms = Context.Reference<Readonly<Record<KeyKind, KeyForm>>>("@agent-platform/keys/KeyForms", {
  defaultValue: () => DEFAULT_KEY_FORMS
})
