/** The flags of the commands: each once, with the form that its value must have. */
import { readUsd, writeUsd } from "@agent-platform/billing"
import { OrganizationId, parseId, WorkspaceId } from "@agent-platform/kernel"
import {
  ApiKeyId,
  GRACE_SECONDS_MAX,
  MemberId,
  OrganizationRole,
  RETENTION_DAYS_MAX,
  RETENTION_DAYS_MIN,
  Scope,
  WorkspaceRole
} from "@agent-platform/keys"
import { DateTime, Option } from "effect"
import { Flag } from "effect/cli"

/** The longest name of anything, as in the HTTP interface. */
const NAME_LENGTH_MAX = 100

/** The amount as the HTTP interface writes it. */
export const canonicalUsd = (text: string): string => writeUsd(readUsd(text))

/** Whether a text is an amount. */
export const isUsd = (text: string): boolean => /^\d{1,12}(\.\d{1,12})?$/.test(text)

const isName = (text: string): boolean =>
  text.trim() !== "" && text.length <= NAME_LENGTH_MAX && text.isWellFormed() && !/\p{Cc}/u.test(text)

/** A flag that is off unless it is given. */
export const switchFlag = (flag: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(flag).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** A whole number from `minimum` to `maximum`; `otherwise` where it is not given. */
export const countFlag = (
  flag: string,
  metavar: string,
  description: string,
  bounds: { readonly minimum: number; readonly maximum: number; readonly otherwise: number }
): Flag.Flag<number> =>
  Flag.Int(flag).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filter(
      (value) => value >= bounds.minimum && value <= bounds.maximum,
      () => `a whole number from ${bounds.minimum} to ${bounds.maximum}`
    ),
    Flag.withDefault(bounds.otherwise)
  )

/** A flag whose absence is null. */
export const orNull = <A>(flag: Flag.Flag<A>): Flag.Flag<A | null> =>
  flag.pipe(Flag.optional, Flag.map(Option.getOrNull))

/** A name: one line of 1 to 100 characters, not only spaces. */
export const nameFlag = (flag: string, description: string): Flag.Flag<string> =>
  Flag.String(flag).pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription(description),
    Flag.filter(isName, () => `one line of 1 to ${NAME_LENGTH_MAX} characters`)
  )

/** The form in which an id is expected. */
const A_UUID = "an id, as in 01a1fd56-58fb-746b-bcf2-262fc1c65f60"

/** The flag of an id. */
export const idFlag = <Id extends string>(
  flag: string,
  kind: { readonly make: (text: string) => Id },
  description: string
): Flag.Flag<Id> =>
  Flag.String(flag).pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => Option.fromNullishOr(parseId(kind, text)),
      () => A_UUID
    )
  )

/** The id or the name by which an operator calls a thing. A text in the form of an id is always taken for an id. */
export type Named<Id> = { readonly id: Id } | { readonly name: string }

const namedOf = <Id extends string>(kind: { readonly make: (text: string) => Id }, text: string): Named<Id> => {
  const id = parseId(kind, text)
  return id === undefined ? { name: text } : { id }
}

const namedFlag = <Id extends string>(
  flag: string,
  kind: { readonly make: (text: string) => Id },
  description: string
): Flag.Flag<Named<Id>> =>
  nameFlag(flag, description).pipe(
    Flag.withMetavar("ID|NAME"),
    Flag.map((text) => namedOf(kind, text))
  )

const organizationNamed = (description: string) => namedFlag("organization", OrganizationId, description)

export const organizationFlag = organizationNamed("Id or name of the organization")
/** The organization whose prices, runs or deliveries a command is about; all organizations without it. */
export const optionalOrganizationFlag = orNull(organizationNamed("Id or name of the organization; all without it"))

const workspaceNamed = (description: string) => namedFlag("workspace", WorkspaceId, description)

const optionalWorkspace = (otherwise: string) =>
  orNull(workspaceNamed(`Id or name of the workspace; without it ${otherwise}`))

/** The workspace whose keys a command is about; without it, the organization's own keys. */
export const workspaceFlag = optionalWorkspace("the organization itself")
/** The workspace whose prices a command is about; without it, the prices for everybody. */
export const pricedWorkspaceFlag = optionalWorkspace("everybody")
/** The workspace whose runs or deliveries a command is about; all workspaces without it. */
export const anyWorkspaceFlag = optionalWorkspace("all")
export const workspaceIdFlag = workspaceNamed("Id or name of the workspace")
export const memberFlag = idFlag("member", MemberId, "Id of the member")
/** A member to be erased, who may have been removed before. */
export const personFlag = idFlag("member", MemberId, "Id of the member, or the person's own, which outlives the member")
export const keyFlag = idFlag("key", ApiKeyId, "Id of the key")

/** Whether a key's descendants are revoked as well. */
export const descendantsFlag = switchFlag(
  "descendants",
  "Revoke the keys that it has made as well, those that these have made, and so on"
)

export const emailFlag = (flag: string, description: string): Flag.Flag<string> =>
  Flag.String(flag).pipe(Flag.withMetavar("EMAIL"), Flag.withDescription(description))

export const timezoneFlag = Flag.String("timezone").pipe(
  Flag.withMetavar("ZONE"),
  Flag.withDescription("Time zone of the workspace, as in Europe/Berlin; UTC without it"),
  Flag.withDefault("UTC")
)

/** The parts of a new organization beside its name. */
export const foundingFlags = {
  workspaceName: nameFlag("workspace", "Name of its first workspace; 'default' without it").pipe(
    Flag.withDefault("default")
  ),
  timezone: timezoneFlag,
  owner: emailFlag("owner", "Whom to invite as its first owner").pipe(Flag.optional)
}

export const monthlyCapFlag = Flag.String("monthly-cap-usd").pipe(
  Flag.withMetavar("USD"),
  Flag.withDescription("The most that the workspace may spend in a month; no cap without it"),
  Flag.filter(isUsd, () => "a decimal, as in 250.00"),
  Flag.map(canonicalUsd),
  orNull
)

/** The flag that changes a time zone. */
export const timezoneChangeFlag = Flag.String("timezone").pipe(
  Flag.withMetavar("ZONE"),
  Flag.withDescription("Its time zone from the next month on, as in Europe/Berlin"),
  Flag.optional
)

/** The flag that changes a cap, to an amount or to none. */
export const capChangeFlag = Flag.String("monthly-cap-usd").pipe(
  Flag.withMetavar("USD|none"),
  Flag.withDescription("The most that it may spend in a month, or none"),
  Flag.filter(
    (text) => text === "none" || isUsd(text),
    () => "a decimal, as in 250.00, or none"
  ),
  Flag.map((text) => (text === "none" ? null : canonicalUsd(text))),
  Flag.optional
)

/** For how many days runs are kept. */
export const retentionFlag = Flag.String("retention-days").pipe(
  Flag.withMetavar("DAYS|none"),
  Flag.withDescription("For how many days its runs are kept, or none for as long as the deployment keeps any"),
  Flag.filter(
    (text) =>
      text === "none" ||
      (/^\d{1,5}$/.test(text) && Number(text) >= RETENTION_DAYS_MIN && Number(text) <= RETENTION_DAYS_MAX),
    () => `a whole number from ${RETENTION_DAYS_MIN} to ${RETENTION_DAYS_MAX}, or none`
  ),
  Flag.map((text) => (text === "none" ? null : Number(text))),
  Flag.optional
)

export const allowPlatformKeysFlag = Flag.Literals("allow-platform-keys", ["true", "false"]).pipe(
  Flag.withDescription("Whether the platform's own provider keys may serve it"),
  Flag.map((text) => text === "true"),
  Flag.optional
)

export const roleFlag = Flag.Literals("role", OrganizationRole.literals).pipe(
  Flag.withDescription("Role in the whole organization"),
  orNull
)

/** `ID:member` or `NAME:viewer`, any number of times. */
export const grantsFlag = Flag.String("workspace").pipe(
  Flag.withMetavar("ID|NAME:ROLE"),
  Flag.withDescription(`Role in one workspace, as in ID:${WorkspaceRole.literals.join(" or ID:")}; may be repeated`),
  Flag.filterMap(
    (text) => {
      const [, name = "", role = ""] = /^(.*):([^:]*)$/s.exec(text) ?? []
      const known = WorkspaceRole.literals.find((one) => one === role)
      return isName(name) && known !== undefined
        ? Option.some({ workspace: namedOf(WorkspaceId, name), role: known })
        : Option.none()
    },
    () => "a workspace's id or name and a role, as in ID:member"
  ),
  Flag.atLeast(0),
  // Without a default the help would call it required.
  Flag.withDefault([])
)

/** The scopes of a new key. */
export const scopesFlag = Flag.Literals("scope", Scope.literals).pipe(
  Flag.withMetavar("SCOPE"),
  Flag.withDescription("A scope of the key, repeated for several; all of its kind but data:erase without it"),
  Flag.atLeast(0),
  Flag.withDefault([])
)

export const graceFlag = countFlag(
  "grace-seconds",
  "SECONDS",
  "How long the old value goes on being accepted; not at all without it",
  { minimum: 0, maximum: GRACE_SECONDS_MAX, otherwise: 0 }
)

const UNITS: Readonly<Record<string, "minutes" | "hours" | "days">> = { m: "minutes", h: "hours", d: "days" }

/** Reads a time, or how long ago it was. Returns the function that makes the time out of the current one. */
const readSince = (text: string): ((now: DateTime.Utc) => DateTime.Utc) | undefined => {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const units = UNITS[unit ?? ""]
  if (units !== undefined) return (now) => DateTime.subtract(now, { [units]: Number(count) })
  const at = /Z$|[+-]\d\d:\d\d$/.test(text) ? Option.getOrUndefined(DateTime.make(text)) : undefined
  return at === undefined ? undefined : () => DateTime.toUtc(at)
}

export const sinceFlag = Flag.String("since").pipe(
  Flag.withMetavar("TIME"),
  Flag.withDescription("From when on: how long ago, as in 30m, 12h or 7d, or a time with its offset; 7d without it"),
  Flag.withDefault("7d"),
  Flag.filterMap(
    (text) => Option.fromNullishOr(readSince(text)),
    () => "how long ago, as in 12h or 7d, or a time with its offset, as in 2026-12-01T00:00:00Z"
  )
)

export const limitFlag = countFlag("limit", "COUNT", "How many to show, 1 to 200; 20 without it", {
  minimum: 1,
  maximum: 200,
  otherwise: 20
})
