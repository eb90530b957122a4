/** The secrets of tools on the wire: never with their values. */
import {
  ClientAuthMethod,
  HOST_PATTERN_LENGTH_MAX,
  parseHostPattern,
  TOOL_SECRET_LENGTH_MAX,
  TOOL_SECRET_LENGTH_MIN
} from "@agent-platform/keys"
import { Schema } from "effect"
import { bounded, count, id, maybe, name, nullableText, orElse, pageFields, text, time, uri } from "./formats.ts"
import { canCarrySecret } from "./headerNames.ts"
import { templateFields } from "./templateSchemas.ts"
import { wire } from "./wire.ts"

/** The longest URL of a token endpoint, in characters. */
export const TOKEN_URL_LENGTH_MAX = 1_024

/** The longest id of a client, and the longest list of scopes, in characters. */
const CLIENT_TEXT_LENGTH_MAX = 1_024

const secretValue = (description: string) =>
  bounded(description, TOOL_SECRET_LENGTH_MIN, TOOL_SECRET_LENGTH_MAX).check(
    Schema.isPattern(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u, {
      message: "must have visible ASCII characters only, and spaces only between them"
    }),
    Schema.makeFilter((value: string) => value.replace(/^\S+ +/, "").length >= TOOL_SECRET_LENGTH_MIN, {
      message: `must have at least ${TOOL_SECRET_LENGTH_MIN} characters behind its scheme`
    })
  )

const hostPattern = bounded("The hosts that it is sent to", 1, HOST_PATTERN_LENGTH_MAX)
  .annotate({
    description:
      "The hosts that it is sent to: one host such as `api.example.com`, or `*.example.com` for every host below that name and not " +
      "itself, of at least two labels. Without a port it means the scheme's own, 443 for https; `api.example.com:8443` means that " +
      "port alone. Kept in lower case; other scripts in their `xn--` form",
    examples: ["api.example.com", "*.example.com"]
  })
  .check(
    Schema.makeFilter((value: string) => parseHostPattern(value) !== undefined, {
      message: "must be a host as it stands in URLs, or *. and a name of at least two labels, perhaps with a port"
    })
  )

const header = bounded("A header's name", 1, 100)
  .annotate({
    description: "The header that it is sent in, such as `authorization`; kept in lower case",
    examples: ["authorization", "x-api-key"]
  })
  .check(Schema.makeFilter(canCarrySecret, { message: "must be the name of a header that can carry a credential" }))

const clientText = (description: string) =>
  bounded(description, 1, CLIENT_TEXT_LENGTH_MAX).check(
    Schema.isPattern(/^[\x20-\x7e]*$/u, { message: "must have visible ASCII characters and spaces only" })
  )

const clientId = clientText("The client's id at the authorization server")
const scope = clientText("The scopes that are asked for, with spaces between them; null: those that the server gives")
const clientSecret = secretValue("The client's secret. It is sealed, and never shown again")

const authMethod = ClientAuthMethod.annotate({
  description:
    "How the client shows its secret. client_secret_basic: in the header Authorization; client_secret_post: in the body"
})

const NewOAuthClient = wire(
  {
    tokenUrl: bounded(
      "The token endpoint: HTTPS at public addresses, unless the operator admits another for tools or MCP",
      1,
      TOKEN_URL_LENGTH_MAX
    ).annotate({ examples: ["https://login.example.com/oauth2/token"] }),
    clientId,
    clientSecret,
    scope: maybe(scope),
    authMethod: orElse(authMethod.annotate({ default: "client_secret_basic" }), "client_secret_basic")
  },
  {
    identifier: "NewOAuthClient",
    description: "A client whose access tokens are sent, by the grant client_credentials",
    examples: [
      {
        token_url: "https://login.example.com/oauth2/token",
        client_id: "agents",
        client_secret: "secret-of-the-client"
      }
    ]
  }
)

/** The body that adds a secret. */
export const NewToolSecret = wire(
  {
    name: name("Purpose of the secret; unique in the workspace"),
    hostPattern,
    header: maybe(header),
    value: maybe(
      secretValue(
        "What the header holds, such as `Bearer …`. It is sealed, and never shown again. Together with `header`"
      )
    ),
    oauth: maybe(NewOAuthClient)
  },
  {
    identifier: "NewToolSecret",
    description: "A secret to add: a header with its value, or an OAuth client whose access tokens are sent",
    examples: [
      {
        name: "Orders",
        host_pattern: "api.example.com",
        header: "authorization",
        value: "Bearer token-of-the-service"
      },
      {
        name: "Orders by OAuth",
        host_pattern: "*.example.com",
        oauth: {
          token_url: "https://login.example.com/oauth2/token",
          client_id: "agents",
          client_secret: "secret-of-the-client"
        }
      }
    ],
    check: ({ header, oauth, value }) => {
      const given = [
        ["header", header],
        ["value", value]
      ] as const
      const missing = given.find(([, one]) => one == null)?.[0]
      const there = given.find(([, one]) => one != null)?.[0]
      if (oauth == null && missing !== undefined) return { path: [missing], issue: "is required without oauth" }
      return oauth != null && there !== undefined
        ? { path: [there], issue: "must not be given beside oauth, whose tokens are sent in the header authorization" }
        : undefined
    }
  }
)

/** The body that changes a secret. */
export const ToolSecretChange = wire(
  {
    name: Schema.optionalKey(name("Purpose of the secret; unique in the workspace")),
    value: Schema.optionalKey(secretValue("A new value for the header, which takes the place of the old one")),
    oauth: Schema.optionalKey(
      wire(
        {
          clientId: Schema.optionalKey(clientId),
          clientSecret: Schema.optionalKey(
            secretValue("A new secret of the client, which takes the place of the old one")
          ),
          scope: maybe(scope)
        },
        {
          identifier: "OAuthClientChange",
          description: "Changes of an OAuth client; absent members stay as they are",
          examples: [{ client_secret: "another-secret-of-the-client" }, { scope: "orders:read" }]
        }
      )
    )
  },
  {
    identifier: "ToolSecretChange",
    description: "Changes of a secret; absent members stay as they are",
    examples: [{ name: "Orders" }, { value: "Bearer another-token" }]
  }
)

/** The settings of a secret as they are shown. */
const shownSettings = {
  name: text("Purpose of the secret"),
  hostPattern: text("The hosts that it is sent to"),
  header: text("The header that it is sent in"),
  oauth: Schema.NullOr(
    wire(
      {
        tokenUrl: uri("The token endpoint"),
        clientId: text("The client's id"),
        scope: nullableText("The scopes that are asked for; null for those that the server gives"),
        authMethod
      },
      { identifier: "OAuthClient", description: "A client whose access tokens are sent; its secret is not shown" }
    )
  ).annotate({ description: "The client whose access tokens are sent; null where the value itself is" })
}

/** A secret as it is shown: without its value. */
export const ToolSecretView = wire(
  {
    id: id("The secret's id"),
    ...shownSettings,
    version: count("Counts the changes of the secret. For `If-Match`"),
    createdAt: time("When the secret was added"),
    updatedAt: time("When it was last changed")
  },
  { identifier: "ToolSecret", description: "A secret of tools without its value" }
)

/** A page of secrets. */
export const ToolSecretPage = wire(pageFields(ToolSecretView), {
  identifier: "ToolSecretPage",
  description: "Secrets of tools, newest first"
})

/** A secret that is gone. */
export const DeletedToolSecret = wire(
  { id: id("The secret's id"), status: Schema.Literal("deleted") },
  { identifier: "DeletedToolSecret", description: "A secret that was deleted with its value" }
)

/** A template of secrets as it is shown: without its value. */
export const ToolSecretTemplateView = wire(
  { ...templateFields, ...shownSettings },
  { identifier: "ToolSecretTemplate", description: "A template of tool secrets without its value" }
)

/** A page of templates of secrets. */
export const ToolSecretTemplatePage = wire(pageFields(ToolSecretTemplateView), {
  identifier: "ToolSecretTemplatePage",
  description: "Templates of tool secrets, newest first"
})
