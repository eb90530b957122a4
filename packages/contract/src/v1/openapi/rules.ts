/** Rules that no schema says: over several fields, over things that exist, and over names of the world. */
import { TOOL_SECRET_LENGTH_MIN } from "@agent-platform/keys"
import { CONTENT_BASE64_LENGTH_MAX } from "@agent-platform/runs"
import type { ProblemCode } from "../problemCodes.ts"

/** One rule. */
export interface Rule {
  /** The code of the problem that answers. */
  readonly code: ProblemCode
  /** How the `detail` of such a fault begins, where the code alone has many. */
  readonly detail?: string
  /** The rule, as a sentence. */
  readonly rule: string
}

const INVALID = "validation_failed"

/** All of them: `x-rules` of the document. `npm run test:properties` fails for a refusal that is neither here nor in a schema. */
export const RULES: ReadonlyArray<Rule> = [
  {
    code: "workspace_required",
    rule: "An organization key names a workspace by `X-Workspace-Id` where an operation is about one"
  },
  { code: "cursor_invalid", rule: "A cursor is the `next_cursor` of the same list, with the same filters" },
  { code: "idempotency_key_reused", rule: "An `Idempotency-Key` is used again only with the same body" },
  { code: "headers_too_large", rule: "Address and headers together have at most 16 KiB" },
  { code: "body_too_large", rule: "A body has at most its `x-max-bytes`" },
  { code: "provider_rejected_key", rule: "A provider key is one that its provider takes" },
  {
    code: INVALID,
    detail: "is required for this provider",
    rule: "`base_url` is there where a provider has no address of its own, and only there"
  },
  {
    code: INVALID,
    detail: "must not be given: the provider has an address of its own",
    rule: "`base_url` is there where a provider has no address of its own, and only there"
  },
  {
    code: INVALID,
    detail: "must be a number that is kept as it is",
    rule: "Integers of JSON are kept in all their digits: those beyond 9007199254740991 that would lose some are sent as text"
  },
  { code: INVALID, detail: "must name each workspace once", rule: "Each workspace is named once" },
  { code: INVALID, detail: "must not name two servers the same", rule: "Servers of an agent have names of their own" },
  { code: "url_not_public", rule: "Addresses are `https`, of hosts that resolve to public addresses" },
  { code: INVALID, detail: "must be a run that ended on a question", rule: "A reply names a run that has asked" },
  {
    code: INVALID,
    detail: "must be given, or tool_results, or approvals",
    rule: "A reply says something, to somebody or to calls"
  },
  { code: INVALID, detail: "must be there beside content", rule: "Content comes with a message" },
  { code: INVALID, detail: "must be there beside data", rule: "What is sent inline has a media type" },
  { code: INVALID, detail: "must be there, or else url", rule: "A part has its data or an address" },
  { code: INVALID, detail: "must be an HTTPS address", rule: "Addresses of images and files are `https`" },
  { code: INVALID, detail: "must be base64 with its padding", rule: "Data is base64 with its padding" },
  {
    code: INVALID,
    detail: `must have at most ${CONTENT_BASE64_LENGTH_MAX} characters of base64 in all`,
    rule: "Content has at most 4 MiB of data in all"
  },
  { code: INVALID, detail: "must not name two tools the same", rule: "Tools of an agent have names of their own" },
  {
    code: INVALID,
    detail: "must have the name of a header that can be set",
    rule: "Headers are none that the platform sets itself"
  },
  { code: INVALID, detail: "must be there once, whatever the case", rule: "Headers are there once, in whatever case" },
  {
    code: INVALID,
    detail: "must be the name of a header that can carry a credential",
    rule: "The header of a tool secret is one that carries credentials"
  },
  {
    code: INVALID,
    detail: `must have at least ${TOOL_SECRET_LENGTH_MIN} characters behind its scheme`,
    rule: `A secret has at least ${TOOL_SECRET_LENGTH_MIN} characters behind its scheme`
  },
  {
    code: INVALID,
    detail: "is required without oauth",
    rule: "A tool secret has a header and its value, or an OAuth client"
  },
  {
    code: INVALID,
    detail: "must not be given beside oauth",
    rule: "A tool secret has a header and its value, or an OAuth client"
  },
  { code: INVALID, detail: "must be a host as it stands in URLs", rule: "Hosts are written as in URLs" },
  { code: INVALID, detail: "must come with a message", rule: "Decision and data of a reply come with its message" },
  { code: INVALID, detail: "must be given, or else error", rule: "A result of a tool has an output or an error" },
  {
    code: INVALID,
    detail: "must have at most 65536 characters",
    rule: "A result of a tool has at most 64 Ki characters of text or of JSON"
  },
  {
    code: INVALID,
    detail: "must be left out where a call is denied",
    rule: "Only an approved call has other arguments"
  },
  {
    code: INVALID,
    detail: "must be left out: the question that is open",
    rule: "A reply to calls goes with the `type` of the question's `interrupt`"
  },
  {
    code: INVALID,
    detail: "must be one of the calls that wait",
    rule: "A reply names calls of the question's `interrupt`"
  },
  { code: INVALID, detail: "must not come twice", rule: "A reply names each call once" },
  { code: INVALID, detail: "must be a full hour", rule: "Ranges of usage begin and end at full hours" },
  { code: INVALID, detail: "must be at most", rule: "Ranges of usage are as long as their operation says" },
  {
    code: INVALID,
    detail: "must lie closer to until",
    rule: "Usage by tags or metadata is of a time with at most 250,000 requests"
  },
  { code: INVALID, detail: "must be a recipe that is registered here", rule: "Recipes are those of the deployment" },
  {
    code: INVALID,
    detail: "is required: the agent has an input_schema",
    rule: "A run has an input where its agent asks for a form of it that nothing does not have"
  },
  {
    code: INVALID,
    detail: "cannot be granted",
    rule: "A key is granted what its maker has, and an expiry that lies ahead"
  },
  {
    code: INVALID,
    detail: "must not name",
    rule: "A key of a workspace has no scope of organizations"
  },
  {
    code: INVALID,
    detail: "must be base64, with or without whsec_",
    rule: "The secret of standard-webhooks is base64"
  },
  { code: INVALID, detail: "must be left out where nothing is verified", rule: "No secret where nothing is verified" },
  { code: INVALID, detail: "must not be given together with", rule: "Of two members that say the same, one is given" },
  { code: INVALID, detail: "must not lie ahead", rule: "What is replayed lies behind" },
  {
    code: INVALID,
    detail: "must be a role, unless workspaces are named",
    rule: "A person gets a role in the organization or in a workspace"
  },
  { code: INVALID, detail: "must be a network such as", rule: "Networks are IPv4 or IPv6, with their host bits zero" },
  { code: INVALID, detail: "must be later than since", rule: "A range ends behind its beginning" },
  {
    code: INVALID,
    detail: "must be a date and time with an offset, from 1970 to 9999",
    rule: "Times are from 1970 to 9999, on days that their months have"
  },
  { code: INVALID, detail: "must be given, or `all`, but not both", rule: "Notices are named, or all are meant" },
  {
    code: INVALID,
    detail: "must be a time zone of the IANA database",
    rule: "Time zones are those of the IANA database"
  },
  {
    code: INVALID,
    detail: "must have five fields",
    rule: "`cron` is an expression of five fields that comes due some day"
  },
  { code: INVALID, detail: "has a field '", rule: "`cron` is an expression of five fields that comes due some day" },
  {
    code: INVALID,
    detail: "names a day that never comes",
    rule: "`cron` is an expression of five fields that comes due some day"
  },
  {
    code: INVALID,
    detail: "must be left to the agent",
    rule: "A run sets for itself what its agent lets runs override"
  },
  { code: INVALID, detail: "must be an e-mail address", rule: "A person is invited by an e-mail address" },
  { code: INVALID, detail: "must be a sequence number of this log", rule: "`Last-Event-ID` is an `id` of this stream" },
  {
    code: INVALID,
    detail: "must not contain NUL or unpaired surrogates",
    rule: "Text has neither NUL nor halves of surrogate pairs"
  },
  { code: INVALID, detail: "must be one line and not only spaces", rule: "Names are one line, and not only spaces" },
  { code: INVALID, detail: "must have a name of 1 to ", rule: "Names of metadata are as long as their pattern" },
  {
    code: INVALID,
    detail: "must not have a credential as its name",
    rule: "Names and metadata hold no credentials, since they are shown"
  },
  {
    code: INVALID,
    detail: "must not hold a credential",
    rule: "Names and metadata hold no credentials, since they are shown"
  }
]

/** Answered although its schema refuses it: `x-leniencies` of the document. */
export const LENIENCIES = {
  empty: "An empty query parameter, `Last-Event-ID` or `X-Workspace-Id` counts as absent",
  id: "An id of another form than a UUID is answered like one that nothing has"
} as const
