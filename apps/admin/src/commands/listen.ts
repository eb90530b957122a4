import { CommandRefused, layerCrypto, UsageInvalid } from "@agent-platform/process"
import { generateSecret } from "@agent-platform/webhooks"
import { Console, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { described, JsonFlag } from "../described.ts"
import { followStream } from "../listen/followStream.ts"
import { forward, lineOf } from "../listen/forward.ts"

const flagInvalid = (flag: string, expects: string) => new UsageInvalid({ message: `--${flag} is not ${expects}` })

const API_DEFAULT = "http://127.0.0.1:8080"

const flags = {
  key: Flag.Redacted("key").pipe(
    Flag.withMetavar("KEY"),
    Flag.withDescription("An organization key with the scope webhooks:read")
  ),
  forwardTo: Flag.String("forward-to").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription("Where events are sent, such as http://127.0.0.1:9000/hooks")
  ),
  api: Flag.String("api").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(`Where the API is; ${API_DEFAULT} without it`),
    Flag.withDefault(API_DEFAULT)
  ),
  secret: Flag.Redacted("secret").pipe(
    Flag.withMetavar("SECRET"),
    Flag.withDescription("The secret to sign under; a new one without it"),
    Flag.optional
  ),
  headerPrefix: Flag.String("header-prefix").pipe(
    Flag.withMetavar("PREFIX"),
    Flag.withDescription("How the delivery headers begin; x-service without it"),
    Flag.withDefault("x-service")
  )
}

const httpUrl = (flag: string, text: string) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol)
    ? Effect.succeed(url.href)
    : Effect.fail(flagInvalid(flag, "an http or https URL"))
}

const isSecret = (secret: Redacted.Redacted) => /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(Redacted.value(secret))

/** Follows the organization's events and sends them on to a receiver under development, signed, until stopped. */
export const listen = Command.make(
  "listen",
  flags,
  Effect.fn(function* (given) {
    const api = (yield* httpUrl("api", given.api)).replace(/\/$/, "")
    const url = yield* httpUrl("forward-to", given.forwardTo)
    const secret = Option.getOrUndefined(given.secret) ?? (yield* generateSecret)
    if (!isSecret(secret)) return yield* flagInvalid("secret", "whsec_ followed by base64")
    const json = yield* JsonFlag
    const say = json ? Console.error : Console.log
    yield* say(`Events of the organization go to ${url}`)
    yield* say(`They are signed under ${Redacted.value(secret)}`)
    return yield* followStream({
      api,
      key: given.key,
      onEvent: (event) =>
        Effect.flatMap(forward(event, { url, secret, headerPrefix: given.headerPrefix }), (sent) =>
          Console.log(json ? JSON.stringify(sent) : lineOf(sent))
        ),
      say
    }).pipe(
      Effect.catchTags({
        ListenRefused: ({ message }) => Effect.fail(new CommandRefused({ message })),
        PortBlocked: () => Effect.fail(flagInvalid("api", "on a port that can be asked by HTTP"))
      })
    )
  }, Effect.provide(layerCrypto))
).pipe(
  described({
    does: "Send the organization's events on to a local receiver, signed, as they are published; with --json a line for each",
    examples: [
      "listen --key $ORG_KEY --forward-to http://127.0.0.1:9000/hooks",
      "listen --key $ORG_KEY --forward-to http://127.0.0.1:9000/hooks --api https://agents.example.com --secret $SECRET --header-prefix x-acme"
    ],
    prints: {
      event_type: "run.succeeded",
      event_id: "01a1fd51-2764-7218-9ac0-9d6895cfd59e",
      outcome: "204",
      duration_ms: 12
    }
  })
)
