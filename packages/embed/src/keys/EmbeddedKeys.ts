import type { Embedded, InTransaction } from "../internal/Embedded.ts"
import type { PageOf } from "../internal/inputs.ts"

/** A key as it can be shown: everything but its value, which is not kept. */
export interface Key<Scope extends string = string> {
  readonly id: string
  readonly tenant: string
  readonly name: string
  /** The prefix, four digits and the last four, as in `key_D3rG…oLaK`. */
  readonly hint: string
  readonly scopes: ReadonlyArray<Scope>
  /** A `rotating` key has a successor, and is accepted until its grace is over. */
  readonly status: "active" | "rotating" | "disabled" | "revoked" | "expired"
  /** The networks that it may be used from, in CIDR notation; none of them means everywhere. */
  readonly allowedIps: ReadonlyArray<string>
  readonly metadata: Readonly<Record<string, string>>
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  /** Accurate to the minute. */
  readonly lastUsedAt: Date | null
}

/** A key with its value, which is shown this once. */
export interface NewKey<Scope extends string = string> extends Key<Scope> {
  readonly value: string
}

/** A change of a key; a field that is left out stays as it is. */
export interface KeyUpdate<Scope extends string = string> {
  readonly name?: string
  readonly scopes?: ReadonlyArray<Scope>
  readonly expiresAt?: Date | null
  readonly allowedIps?: ReadonlyArray<string>
  readonly metadata?: Readonly<Record<string, string>>
  /** Disabled, it is refused until it is enabled again. */
  readonly disabled?: boolean
}

/** Why a value is refused. */
export type VerifyRefusal =
  | "malformed"
  | "unknown"
  | "expired"
  | "revoked"
  | "disabled"
  | "address_not_allowed"
  | "scope_missing"

/** The tenant and scopes of a value, or why it is refused. `message` may be shown to the one who sent it. */
export type Verified<Scope extends string = string> =
  | {
      readonly valid: true
      readonly tenant: string
      readonly scopes: ReadonlyArray<Scope>
      readonly key: Key<Scope>
    }
  | { readonly valid: false; readonly code: VerifyRefusal; readonly message: string }

/** API keys of a host's tenants. Every method rejects with `EmbedError` where it refuses. */
export interface EmbeddedKeys<Scope extends string = string> extends Embedded {
  /** Writes when keys were last used, and closes our connections; a pool of the host stays open. */
  readonly close: () => Promise<void>
  readonly create: (
    tenant: string,
    key: { readonly name: string; readonly scopes: ReadonlyArray<Scope> } & Omit<
      KeyUpdate,
      "name" | "scopes" | "disabled"
    >,
    options?: InTransaction
  ) => Promise<NewKey<Scope>>
  /** Newest first, 50 at most, revoked ones included. `next`, unless undefined, is `after` of the page that follows. */
  readonly list: (
    tenant: string,
    page?: PageOf,
    options?: InTransaction
  ) => Promise<{ readonly items: ReadonlyArray<Key<Scope>>; readonly next: string | undefined }>
  /** Changes a key that is active or disabled. */
  readonly update: (
    tenant: string,
    keyId: string,
    change: KeyUpdate<Scope>,
    options?: InTransaction
  ) => Promise<Key<Scope>>
  /**
   * Gives an active key a successor under another id and value. The old value is accepted for `graceSeconds` more, a day by default
   * and a week at most.
   */
  readonly rotate: (
    tenant: string,
    keyId: string,
    options?: InTransaction & { readonly graceSeconds?: number }
  ) => Promise<NewKey<Scope>>
  /** Revokes a key, from the next `verify` on and for ever. Doing so again returns the same. */
  readonly revoke: (tenant: string, keyId: string, options?: InTransaction) => Promise<Key<Scope>>
  /**
   * Looks a value up by one read of the database: returns the tenant and the scopes of its key, or why it is refused. The key must
   * have all of `scopes`; `clientAddress` is where the request came from, which keys with `allowedIps` need.
   */
  readonly verify: (
    value: string,
    needs?: InTransaction & { readonly scopes?: ReadonlyArray<Scope>; readonly clientAddress?: string | undefined }
  ) => Promise<Verified<Scope>>
}
