/** The sessions of a person who logged in. Spec: OAuth. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { NotFound } from "./errors.ts"
import { flag, id, nullableText, pageFields, text, time } from "./formats.ts"
import { Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { wire } from "./wire.ts"

/** A session as a list shows it. */
export const LoginSessionView = wire(
  {
    id: id("The session's id"),
    organizationId: id("The organization that the session is with"),
    provider: text("The identity provider that the person came through"),
    createdAt: time("When the person logged in"),
    lastSeenAt: time("When the session was last used, to the minute"),
    expiresAt: time("When the session ends if it is not used again"),
    userAgent: nullableText("The browser, as it called itself at the login, cut to 256 characters"),
    ip: nullableText("The network address of the login"),
    current: flag("Whether it is the session that asks")
  },
  { identifier: "LoginSession", description: "A session of the person" }
)

/** A page of sessions. */
export const LoginSessionPage = wire(pageFields(LoginSessionView, "Newest first, open ones only"), {
  identifier: "LoginSessionPage",
  description: "Sessions, newest first"
})

/** A session that was ended. */
export const RevokedLoginSession = wire(
  {
    id: id("The session's id"),
    status: Schema.Literal("revoked"),
    revokedAt: time("When it was ended for the first time")
  },
  { identifier: "RevokedLoginSession", description: "A session that works no more" }
)

/** The group of the sessions of a person. */
export class LoginSessionsGroup extends HttpApiGroup.make("loginSessions")
  .add(
    HttpApiEndpoint.post("logout", "/api/v1/auth/logout", {
      success: HttpApiSchema.NoContent.annotate({ description: "The session is over" })
    })
      .annotate(Access, { reach: "session", scope: null })
      .annotate(OpenApi.Summary, "Log out")
      .annotate(OpenApi.Description, "Ends the session that asks, and takes its cookie away."),
    HttpApiEndpoint.get("listLoginSessions", "/api/v1/auth/sessions", {
      query: pageParameters.fields,
      success: LoginSessionPage
    })
      .annotate(Access, { reach: "session", scope: null })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List one's sessions")
      .annotate(
        OpenApi.Description,
        "The sessions of the person who asks that are open, newest first, whatever organization they are with."
      ),
    HttpApiEndpoint.delete("revokeSession", "/api/v1/auth/sessions/:session_id", {
      params: { session_id: id("The session's id") },
      success: RevokedLoginSession,
      error: NotFound
    })
      .annotate(Access, { reach: "session", scope: null })
      .annotate(OpenApi.Summary, "End one of one's sessions")
      .annotate(
        OpenApi.Description,
        "Ends a session of the person who asks, from its very next request on. Doing it again answers the same. The " +
          "session of another person is 404."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Login sessions")
  .annotate(OpenApi.Description, "The sessions of a person who logged in") {}
