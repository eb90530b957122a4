/** The options of `createWebhooks`, checked before anything else happens. */
import { createHash, randomBytes } from "node:crypto"
import { type EncryptionKeys, parseSecretsKey } from "@agent-platform/secrets"
import { HISTORY_DAYS, RETRY_DELAYS_SECONDS, USER_AGENT } from "@agent-platform/webhooks"
import { Effect, Redacted, Result } from "effect"
import { Digest } from "effect/crypto"
import { type Place, placeOf } from "../internal/database.ts"
import { invalidOption, wholeOption } from "../internal/inputs.ts"
import type { EventTypes } from "./eventTypes.ts"

/** Something that a tenant, or those who look after it, should know. */
export interface WebhookNotice {
  readonly type: "endpoint_disabled" | "delivery_dead"
  readonly tenant: string
  readonly endpointId: string
  readonly title: string
  readonly body: string
}

/** `database` and `secretsKey`, or `memory: true`; all else has a default. */
export type WebhooksOptions<Types extends EventTypes = EventTypes> = Place &
  WebhooksRules<Types> &
  (
    | {
        readonly memory?: undefined
        /** Base64 of 32 random bytes (`openssl rand -base64 32`), or several with commas between them, the current one first. */
        readonly secretsKey: string
      }
    | { readonly memory: true; readonly secretsKey?: string | undefined }
  )

/** The choices of a host. */
export interface WebhooksRules<Types extends EventTypes = EventTypes> {
  /** The event types that there are. Without them any name is one. */
  readonly eventTypes?: Types | undefined
  /** Most bytes of an event's data, as Postgres writes its JSON; 262,144 by default. */
  readonly dataBytesMax?: number | undefined
  /**
   * Whether events that are published in transactions of yours wake the worker by a NOTIFY, which lets such transactions commit
   * one after the other. True by default; without it the worker finds them by looking every `pollSeconds`, and by `wake`.
   */
  readonly notify?: boolean | undefined
  /** How often the worker looks for events when nothing wakes it; 1 by default. */
  readonly pollSeconds?: number | undefined
  /** Seconds to wait after each failed attempt; one failure more, and a delivery is dead. About 2.7 days in 10 steps by default. */
  readonly retryDelaysSeconds?: ReadonlyArray<number> | undefined
  /** The `User-Agent` of deliveries. */
  readonly userAgent?: string | undefined
  /** Headers are `<prefix>-signature` and so on, beside those of Standard Webhooks; `x-service` by default. */
  readonly headerPrefix?: string | undefined
  /** Most active endpoints of a tenant, 10 by default, and most that are not deleted, 100 by default. */
  readonly activeEndpointsMax?: number | undefined
  readonly endpointsMax?: number | undefined
  /** Days for which events and deliveries are kept at least; 90 by default. */
  readonly historyDays?: number | undefined
  /** Lets endpoints be on `localhost`, over http as well. For development and tests. */
  readonly allowLoopback?: boolean | undefined
  /** Called after an endpoint was disabled for its failures, and when deliveries are dead, once an hour for each endpoint. */
  readonly onNotice?: ((notice: WebhookNotice) => void | Promise<void>) | undefined
}

const RETRIES_MAX = 50
const DELAY_SECONDS_MAX = 30 * 86_400

const delaysIn = (delays: ReadonlyArray<number>): ReadonlyArray<number> => {
  if (!Array.isArray(delays) || delays.length > RETRIES_MAX) {
    throw invalidOption(`retryDelaysSeconds is a list of at most ${RETRIES_MAX} numbers of seconds`)
  }
  const wrong = delays.find((seconds) => !(typeof seconds === "number" && seconds >= 0 && seconds <= DELAY_SECONDS_MAX))
  if (wrong === undefined) return delays
  throw invalidOption(`retryDelaysSeconds has numbers of seconds from 0 to ${DELAY_SECONDS_MAX}: ${wrong} is not one`)
}

const matching = (name: string, value: string, pattern: RegExp, wanted: string): string => {
  if (typeof value === "string" && pattern.test(value)) return value
  throw invalidOption(`${name} is ${wanted}: ${JSON.stringify(value)} is not`)
}

/** Web Crypto would answer later, and an option is refused at once. */
const sha256AtOnce: Digest.Digest["Service"] = {
  digest: (_, data) => Effect.sync(() => createHash("sha256").update(data).digest()),
  digestHex: (_, data) => Effect.sync(() => createHash("sha256").update(data).digest("hex"))
}

const encryptionKeysIn = (secretsKey: string | undefined): EncryptionKeys => {
  if (typeof secretsKey !== "string") {
    throw invalidOption(
      "secretsKey seals the secrets of endpoints: it is the base64 of 32 random bytes, as of `openssl rand -base64 32`"
    )
  }
  const parsing = Effect.provideService(parseSecretsKey(Redacted.make(secretsKey)), Digest.Digest, sha256AtOnce)
  const parsed = Effect.runSync(Effect.result(parsing))
  if (Result.isSuccess(parsed)) return parsed.success
  throw invalidOption(parsed.failure.message.replaceAll("SECRETS_KEY", "secretsKey"))
}

/** The options in force. */
export const readOptions = (options: WebhooksOptions) => {
  const installation = placeOf("webhooks", options)
  const secretsKey = options.secretsKey ?? (installation === undefined ? randomBytes(32).toString("base64") : undefined)
  const encryptionKeys = encryptionKeysIn(secretsKey)
  const activeEndpointsMax = wholeOption("activeEndpointsMax", options.activeEndpointsMax ?? 10, 1, 1_000)
  const pollSeconds = options.pollSeconds ?? 1
  if (!(pollSeconds >= 0.05 && pollSeconds <= 3_600)) throw invalidOption("pollSeconds is a number from 0.05 to 3600")
  return {
    installation,
    encryptionKeys,
    dataBytesMax: wholeOption("dataBytesMax", options.dataBytesMax ?? 262_144, 2, 16_777_216),
    notifies: options.notify ?? true,
    pollSeconds,
    retryDelaysSeconds: delaysIn(options.retryDelaysSeconds ?? RETRY_DELAYS_SECONDS),
    userAgent: matching(
      "userAgent",
      options.userAgent ?? USER_AGENT,
      /^[\x20-\x7e]{1,256}$/,
      "1 to 256 visible ASCII characters"
    ),
    headerPrefix: matching(
      "headerPrefix",
      options.headerPrefix ?? "x-service",
      /^[a-z][a-z0-9-]{0,62}[a-z0-9]$/,
      "2 to 64 small letters, digits and -"
    ),
    activeEndpointsMax,
    endpointsMax: wholeOption(
      "endpointsMax",
      options.endpointsMax ?? Math.max(100, activeEndpointsMax),
      activeEndpointsMax,
      100_000
    ),
    historyDays: wholeOption("historyDays", options.historyDays ?? HISTORY_DAYS, 1, 3_650),
    allowLoopback: options.allowLoopback ?? false,
    onNotice: options.onNotice,
    log: options.log
  }
}

export type WebhooksSettings = ReturnType<typeof readOptions>
