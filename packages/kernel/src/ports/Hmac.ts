import { Context } from "effect"

/** How the bytes of a code are written. */
export type CodeEncoding = "hex" | "base64"

/** HMAC-SHA256 under one key. The data is neither changed nor kept: others are written to its place next. */
export type Code = (data: Uint8Array, encoding: CodeEncoding) => string

/**
 * Message codes at once, for who signs by the thousand a second: the `Mac` of effect answers by effects, which cost as much
 * as the codes. Held by `hmacContract`.
 */
export class Hmac extends Context.Service<
  Hmac,
  {
    /** The codes under this key. Later changes of its bytes change nothing. */
    readonly sha256: (key: Uint8Array) => Code
  }
>()("@agent-platform/kernel/Hmac") {}
