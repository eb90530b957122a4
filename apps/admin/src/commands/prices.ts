import {
  type PriceOverride,
  PriceOverrideId,
  PriceOverrideStore,
  readUsd,
  removePrice,
  setPrice,
  writeUsd
} from "@agent-platform/billing"
import { OrganizationId, parseId } from "@agent-platform/kernel"
import { CommandRefused } from "@agent-platform/process"
import { DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { jsonFlag, workspaceFlag } from "../flags.ts"
import { OPERATOR, overDatabase, ownerOf } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"

const priceRow = (price: PriceOverride) => ({
  id: price.id,
  workspace_id: price.scope?.workspaceId ?? null,
  provider: price.provider,
  model: price.model,
  input_usd: price.inputUsd,
  cache_read_usd: price.cacheReadUsd,
  cache_write_usd: price.cacheWriteUsd,
  output_usd: price.outputUsd,
  effective_from: DateTime.formatIso(price.effectiveFrom)
})

const textFlag = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription(description),
    Flag.filter(
      (text) => /^\S{1,200}$/.test(text),
      () => "must have 1 to 200 characters and no spaces"
    )
  )

const usdFlag = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withMetavar("USD"),
    Flag.withDescription(`${description}, in USD per million`),
    Flag.filter(
      (text) => /^\d{1,12}(\.\d{1,12})?$/.test(text),
      () => "must be a decimal, as in 2.50"
    ),
    Flag.map((text) => writeUsd(readUsd(text)))
  )

const optional = <A>(flag: Flag.Flag<A>) => flag.pipe(Flag.optional, Flag.map(Option.getOrNull))

const organizationFlag = Flag.String("organization").pipe(
  Flag.withMetavar("ID"),
  Flag.withDescription("Id of the workspace's organization"),
  Flag.filterMap(
    (text) => Option.fromNullishOr(parseId(OrganizationId, text)),
    (text) => `'${text}' is not an id`
  ),
  optional
)

const fromFlag = Flag.String("from").pipe(
  Flag.withMetavar("TIME"),
  Flag.withDescription("From when on calls have this price, as in 2026-12-01T00:00:00Z; from now on without it"),
  Flag.filterMap(
    (text) => (/Z$|[+-]\d\d:\d\d$/.test(text) ? DateTime.make(text) : Option.none()),
    (text) => `'${text}' is not a time with its offset, as in 2026-12-01T00:00:00Z`
  ),
  Flag.map(DateTime.toUtc),
  optional
)

/** Whose prices are meant: a workspace's, which takes both ids, or everybody's. */
const scopeOf = Effect.fnUntraced(function* (
  organizationId: OrganizationId | null,
  workspaceId: Parameters<typeof ownerOf>[1]
) {
  if ((organizationId === null) !== (workspaceId === null)) {
    return yield* new CommandRefused({ message: "A workspace's prices take both --organization and --workspace" })
  }
  if (organizationId === null || workspaceId === null) return null
  yield* ownerOf(organizationId, workspaceId)
  return { organizationId, workspaceId }
})

const owner = { organization: organizationFlag, workspace: workspaceFlag }

const set = Command.make(
  "set",
  {
    ...owner,
    provider: textFlag("provider", "The provider, as on model calls: openai, anthropic, gcp.gemini or another"),
    model: textFlag("model", "The model, as calls ask for it"),
    inputUsd: usdFlag("input-usd", "Input tokens"),
    cacheReadUsd: optional(usdFlag("cache-read-usd", "Input tokens that a cache gave; as input without it")),
    cacheWriteUsd: optional(usdFlag("cache-write-usd", "Input tokens that a cache took; as input without it")),
    outputUsd: usdFlag("output-usd", "Output tokens, reasoning included"),
    from: fromFlag
  },
  ({ from, organization, workspace, ...price }) =>
    overDatabase(
      Effect.gen(function* () {
        const scope = yield* scopeOf(organization, workspace)
        const effectiveFrom = from ?? (yield* DateTime.now)
        yield* printJson(priceRow(yield* setPrice({ actor: OPERATOR, scope, effectiveFrom, ...price })))
      })
    )
).pipe(Command.withDescription("Set what a model costs, for one workspace or for everybody; prints JSON"))

const list = Command.make("list", { ...owner, json: jsonFlag }, ({ json, organization, workspace }) =>
  overDatabase(
    Effect.gen(function* () {
      const scope = yield* scopeOf(organization, workspace)
      const store = yield* PriceOverrideStore
      const rows = (yield* store.list(scope?.workspaceId ?? null)).map(priceRow)
      yield* printRows(rows, ["id", "provider", "model", "input_usd", "output_usd", "effective_from"], json)
    })
  )
).pipe(Command.withDescription("List the prices that were set for a workspace, or without one for everybody"))

const priceFlag = Flag.String("price").pipe(
  Flag.withMetavar("ID"),
  Flag.withDescription("Id of the price"),
  Flag.filterMap(
    (text) => Option.fromNullishOr(parseId(PriceOverrideId, text)),
    (text) => `'${text}' is not an id`
  )
)

const remove = Command.make("remove", { price: priceFlag }, ({ price }) =>
  overDatabase(
    Effect.gen(function* () {
      const removed = yield* removePrice({ id: price, actor: OPERATOR }).pipe(
        Effect.catchTag(
          "PriceOverrideNotFound",
          () => new CommandRefused({ message: "There is no such price, or it was removed before" })
        )
      )
      yield* printJson(priceRow(removed))
    })
  )
).pipe(Command.withDescription("Take a price back, for calls from now on; prints JSON"))

/** What an operator does about prices that the catalogue does not have, or has otherwise. */
export const prices = Command.make("prices").pipe(
  Command.withDescription("What models cost"),
  Command.withSubcommands([set, list, remove])
)
