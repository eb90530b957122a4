import { Context, Effect, Layer, type Redacted, Schema } from "effect"

/** A sealed secret cannot be opened: its key id is unknown, it was altered, or it was moved to another place. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  reason: Schema.Literals(["unknown_key", "altered"])
}) {}

/** Keeps the secrets that must be read back. Held by `secretBoxContract`. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /**
     * Seals `secret` for one place, such as `webhook_endpoint/<id>/secret`. The place is bound to the seal, so a
     * sealed value that is copied to another row does not open there.
     */
    readonly seal: (place: string, secret: Redacted.Redacted) => Effect.Effect<string>
    /** Opens what was sealed for `place`. */
    readonly open: (place: string, sealed: string) => Effect.Effect<Redacted.Redacted, SecretUnreadable>
    /**
     * Seals a value again that was sealed for `place` under another key than the one that seals now; undefined when it is
     * under that one. Either way the value has been opened, so that one that is unreadable is found.
     */
    readonly reseal: (place: string, sealed: string) => Effect.Effect<string | undefined, SecretUnreadable>
  }
>()("@agent-platform/kernel/SecretBox") {
  /** For hosts that keep no secrets: to seal one is a defect, and none can be opened. */
  static readonly layerNone: Layer.Layer<SecretBox> = Layer.succeed(SecretBox, {
    seal: () => Effect.die(new Error("No secret can be kept: SecretBox.layerNone has no key")),
    open: () => Effect.fail(new SecretUnreadable({ reason: "unknown_key" })),
    reseal: () => Effect.fail(new SecretUnreadable({ reason: "unknown_key" }))
  })
}
