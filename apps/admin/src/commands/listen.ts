import { layerCrypto } from "@agent-platform/process"
import { generateSecret } from "@agent-platform/webhooks"
import { Console, Data, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { followStream } from "../listen/followStream.ts"
import { forward } from "../listen/forward.ts"

/** A flag of `listen` cannot be used; the exit code is 1. */
export class FlagInvalid extends Data.TaggedError("FlagInvalid")<{ readonly flag: string; readonly expects: string }> {
  override get message() {
    return `--${this.flag} is not ${this.expects}`
  }
}

const flags = {
  key: Flag.Redacted("key").pipe(Flag.withDescription("An organization key with the scope webhooks:read")),
  forwardTo: Flag.String("forward-to").pipe(
    Flag.withDescription("Where events are sent, such as http://127.0.0.1:9000/hooks")
  ),
  api: Flag.String("api").pipe(Flag.withDescription("Where the API is"), Flag.withDefault("http://127.0.0.1:8080")),
  secret: Flag.Redacted("secret").pipe(
    Flag.withDescription("The secret to sign under; a new one when missing"),
    Flag.optional
  ),
  headerPrefix: Flag.String("header-prefix").pipe(
    Flag.withDescription("How the delivery headers begin"),
    Flag.withDefault("x-service")
  )
}

const httpUrl = (flag: string, text: string) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol)
    ? Effect.succeed(url.href.replace(/\/$/, ""))
    : Effect.fail(new FlagInvalid({ flag, expects: "an http or https URL" }))
}

const isSecret = (secret: Redacted.Redacted) => /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(Redacted.value(secret))

/** Follows the organization's events and sends them on to a receiver under development, signed, until told to stop. */
export const listen = Command.make(
  "listen",
  flags,
  Effect.fn(function* (given) {
    const api = yield* httpUrl("api", given.api)
    const url = yield* httpUrl("forward-to", given.forwardTo)
    const secret = Option.getOrUndefined(given.secret) ?? (yield* generateSecret)
    if (!isSecret(secret)) return yield* new FlagInvalid({ flag: "secret", expects: "whsec_ and base64" })
    yield* Console.log(`Events of the organization go to ${url}`)
    yield* Console.log(`They are signed under ${Redacted.value(secret)}`)
    return yield* followStream({
      api,
      key: given.key,
      onEvent: (event) =>
        Effect.flatMap(forward(event, { url, secret, headerPrefix: given.headerPrefix }), Console.log).pipe(
          Effect.provide(layerCrypto)
        ),
      say: Console.log
    })
  }, Effect.provide(layerCrypto))
).pipe(Command.withDescription("Send the organization's events on to a local receiver, signed, as they are published"))
