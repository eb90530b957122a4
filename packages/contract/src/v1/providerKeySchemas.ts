/** Provider keys on the wire: registrations, changes and answers. Spec: BYOK. */
import {
  KeyFallback,
  LIMITED_SECONDS_MAX,
  PRIORITY_DEFAULT,
  PRIORITY_MAX,
  PROVIDER_KEY_LENGTH_MAX,
  Provider,
  ProviderKeyErrorCode,
  ProviderKeyStatus
} from "@agent-platform/keys"
import { Schema } from "effect"
import {
  bounded,
  count,
  formed,
  id,
  integer,
  maybe,
  name,
  nullableText,
  nullableUri,
  orElse,
  pageFields,
  text,
  time
} from "./formats.ts"
import { templateFields } from "./templateSchemas.ts"
import { wire } from "./wire.ts"

/** The longest base URL of a compatible server, in characters. What is called is longer by its paths. */
export const BASE_URL_LENGTH_MAX = 1_024

/** Most models that a key can be confined to. */
export const ALLOWED_MODELS_MAX = 100

/** The longest name of a model, in characters. */
export const MODEL_NAME_LENGTH_MAX = 200

const value = (description: string) =>
  bounded(description, 1, PROVIDER_KEY_LENGTH_MAX).check(
    Schema.isPattern(/^[\x21-\x7e]*$/u, { message: "must have visible ASCII characters only, without spaces" })
  )

const allowedModels = (description: string) =>
  Schema.Array(
    bounded("A model's name, or how names begin and *", 1, MODEL_NAME_LENGTH_MAX).check(
      Schema.isPattern(/^[^*\s]*\*?$/u, { message: "must be a model's name, with * only at its end" })
    )
  )
    .annotate({ description, examples: [["gpt-5", "gpt-5-mini*"]] })
    .check(Schema.isBetweenLength(1, ALLOWED_MODELS_MAX, { message: `must name 1 to ${ALLOWED_MODELS_MAX} models` }))

const priority = integer("The lower goes first; of two that are equal, the older", 0, PRIORITY_MAX)

const fallback = KeyFallback.annotate({
  description:
    "The fallback when no key of the workspace can serve. none: nothing; while any key of the provider says so, the " +
    "platform's key is never used. platform: the platform's key, if the workspace is allowed it"
})

const newKey = {
  key: value(
    "The key, as the provider has given it out; for vertex the key file of a service account in base64. It is sealed, and never shown again"
  ),
  name: maybe(name("Purpose of the key; missing: the provider's name")),
  baseUrl: maybe(
    bounded(
      "Where the server is, without a query: HTTPS at public addresses, or what the operator admits, as `npm start` does loopback addresses. Required for azure (`https://<resource>.openai.azure.com/openai/v1`), bedrock (`https://bedrock-runtime.<region>.amazonaws.com`), vertex (`https://<location>-aiplatform.googleapis.com/v1/projects/<project>/locations/<location>`) and openai_compatible, refused for the others. Requests go to paths below it",
      1,
      BASE_URL_LENGTH_MAX
    )
      .annotate({ examples: ["https://models.example.com/v1"] })
      .check(Schema.isPattern(/^[^?#]*$/u, { message: "must not have a query or a fragment" }))
  ),
  allowedModels: maybe(
    allowedModels(
      "The models that the key may be used for, each name perhaps with `*` at its end; missing or null: all"
    )
  ),
  priority: orElse(priority.annotate({ default: PRIORITY_DEFAULT }), PRIORITY_DEFAULT),
  fallback: orElse(fallback.annotate({ default: "none" }), "none"),
  validate: orElse(
    Schema.Boolean.annotate({
      description: "Whether the provider is asked first, by a call that costs nothing, if it takes the key",
      default: true
    }),
    true
  )
}

/** The body that registers a key. */
export const NewProviderKey = wire(newKey, {
  identifier: "NewProviderKey",
  description: "A provider key to register",
  examples: [{ key: "sk-proj-your-key", name: "Production", fallback: "none" }]
})

/** The body that changes a key. */
export const ProviderKeyChange = wire(
  {
    name: Schema.optionalKey(name("Purpose of the key")),
    priority: Schema.optionalKey(priority),
    fallback: Schema.optionalKey(fallback),
    allowedModels: maybe(allowedModels("The models that the key may be used for; null for all")),
    key: Schema.optionalKey(value("A new value, which takes the place of the old one; that is erased")),
    validate: orElse(
      Schema.Boolean.annotate({ description: "Whether the provider is asked about a new value first", default: true }),
      true
    )
  },
  {
    identifier: "ProviderKeyChange",
    description: "Changes of a provider key; absent members stay as they are",
    examples: [{ priority: 10 }, { key: "sk-proj-your-key" }]
  }
)

/** The settings of a key as they are shown. */
const shownSettings = {
  provider: Provider.annotate({ description: "Whose models it is for" }),
  name: text("Purpose of the key"),
  hint: text(
    "The part of the key that may always be shown: at most four characters of each end, never more than a quarter of it together; `…` alone for one of fewer than eight"
  ),
  fingerprint: formed(
    "fingerprint",
    "16 hexadecimal digits: the same wherever the same key is registered in this deployment, another for any other key. Only the deployment can compute it"
  ),
  priority: count("The lower goes first"),
  fallback,
  allowedModels: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "The models that the key may be used for; null for all"
  }),
  baseUrl: nullableUri("Where azure, bedrock, vertex or an openai_compatible server is; else null")
}

/** A key as it is shown: without its value. */
export const ProviderKeyView = wire(
  {
    id: id("The key's id"),
    ...shownSettings,
    status: ProviderKeyStatus.annotate({
      description:
        "active: its provider takes it. unverified: not known yet. rate_limited, quota_exhausted: not now, so others " +
        "go first. invalid: refused, and not used. revoked: erased"
    }),
    limitedUntil: Schema.NullOr(
      time(`Until when it is rate_limited or quota_exhausted, at most ${LIMITED_SECONDS_MAX / 3_600} hours; else null`)
    ),
    version: count("Counts the changes of the key, its uses excepted. For `If-Match`"),
    createdAt: time("When the key was registered"),
    lastUsedAt: Schema.NullOr(time("When a run last used it with success, to the minute")),
    lastValidatedAt: Schema.NullOr(time("When its provider last took it on being asked")),
    lastError: Schema.NullOr(
      wire(
        {
          code: ProviderKeyErrorCode.annotate({ description: "The error, for programs" }),
          providerStatus: Schema.NullOr(Schema.Int).annotate({
            description: "The status that the provider answered; null when there was no answer"
          }),
          providerCode: nullableText("The provider's own code; null where it gave none that can be shown"),
          at: time("When that was")
        },
        { identifier: "ProviderKeyError", description: "The last thing that went wrong with a key" }
      )
    ).annotate({ description: "The last thing that went wrong with it; null once it works" })
  },
  { identifier: "ProviderKey", description: "A provider key without its value" }
)

/** A page of keys. */
export const ProviderKeyPage = wire(pageFields(ProviderKeyView, "Newest first, revoked ones included"), {
  identifier: "ProviderKeyPage",
  description: "Provider keys, newest first"
})

/** A revoked key. */
export const RevokedProviderKey = wire(
  {
    id: id("The key's id"),
    status: Schema.Literal("revoked"),
    revokedAt: time("When it was revoked for the first time")
  },
  { identifier: "RevokedProviderKey", description: "A provider key whose value is erased" }
)

/** The body that makes a template of keys. */
export const NewProviderKeyTemplate = wire(
  { provider: Provider.annotate({ description: "Whose models it is for" }), ...newKey },
  {
    identifier: "NewProviderKeyTemplate",
    description: "A provider key that every workspace of the organization gets",
    examples: [{ provider: "openai", key: "sk-proj-your-key", name: "Production", fallback: "none" }]
  }
)

/** A template of keys as it is shown: without its value. */
export const ProviderKeyTemplateView = wire(
  {
    ...templateFields,
    ...shownSettings,
    status: Schema.Literals(["active", "revoked"]).annotate({
      description: "revoked: its value is erased, and with it that of every key that followed it"
    }),
    lastValidatedAt: Schema.NullOr(
      time("When its provider took the value; null where it was not asked, or could not say")
    )
  },
  { identifier: "ProviderKeyTemplate", description: "A template of provider keys without its value" }
)

/** A page of templates of keys. */
export const ProviderKeyTemplatePage = wire(pageFields(ProviderKeyTemplateView), {
  identifier: "ProviderKeyTemplatePage",
  description: "Templates of provider keys, newest first"
})
