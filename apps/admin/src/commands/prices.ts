import { type PriceOverride, PriceOverrideId, PriceOverrideStore, removePrice, setPrice } from "@agent-platform/billing"
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { CommandRefused } from "@agent-platform/process"
import { DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { databaseCommand } from "../databaseCommand.ts"
import { described, JsonFlag } from "../described.ts"
import {
  canonicalUsd,
  idFlag,
  isUsd,
  type Named,
  optionalOrganizationFlag,
  orNull,
  pricedWorkspaceFlag
} from "../flags.ts"
import { OPERATOR, workspaceOf } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"
import { A_PRICE, A_WORKSPACE, AN_ORGANIZATION } from "../shapes.ts"

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
      () => "1 to 200 characters without spaces"
    )
  )

const usdFlag = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withMetavar("USD"),
    Flag.withDescription(`${description}, in USD per million`),
    Flag.filter(isUsd, () => "a decimal, as in 2.50"),
    Flag.map(canonicalUsd)
  )

const fromFlag = Flag.String("from").pipe(
  Flag.withMetavar("TIME"),
  Flag.withDescription("From when on calls have this price, as in 2026-12-01T00:00:00Z; from now on without it"),
  Flag.filterMap(
    (text) => (/Z$|[+-]\d\d:\d\d$/.test(text) ? DateTime.make(text) : Option.none()),
    () => "a time with its offset, as in 2026-12-01T00:00:00Z"
  ),
  Flag.map(DateTime.toUtc),
  orNull
)

/** The workspace that prices are for, which is named together with its organization; null for everybody's prices. */
const priceScopeOf = Effect.fnUntraced(function* (
  organization: Named<OrganizationId> | null,
  workspace: Named<WorkspaceId> | null
) {
  if ((organization === null) !== (workspace === null)) {
    return yield* new CommandRefused({ message: "A workspace's prices take both --organization and --workspace" })
  }
  if (organization === null || workspace === null) return null
  const { caller, found } = yield* workspaceOf(organization, workspace)
  return { organizationId: caller.organizationId, workspaceId: found.id }
})

const OF_OPENAI = "--provider openai --model gpt-4.1"
const OF_WORKSPACE = `--organization ${AN_ORGANIZATION.id} --workspace ${A_WORKSPACE.id}`

const owner = { organization: optionalOrganizationFlag, workspace: pricedWorkspaceFlag }

const set = databaseCommand({
  name: "set",
  does: "Set what a model costs, for one workspace or for everybody; prints JSON",
  examples: [
    `prices set ${OF_OPENAI} --input-usd 2.00 --output-usd 8.00`,
    `prices set ${OF_WORKSPACE} ${OF_OPENAI} --input-usd 1.50 --cache-read-usd 0.40 --cache-write-usd 1.80 --output-usd 6.00 --from 2026-12-01T00:00:00Z`
  ],
  prints: A_PRICE,
  flags: {
    ...owner,
    provider: textFlag("provider", "The provider, as on model calls: openai, anthropic, gcp.gemini or another"),
    model: textFlag("model", "The model, as calls ask for it"),
    inputUsd: usdFlag("input-usd", "Input tokens"),
    cacheReadUsd: orNull(usdFlag("cache-read-usd", "Input tokens that a cache gave; as input without it")),
    cacheWriteUsd: orNull(usdFlag("cache-write-usd", "Input tokens that a cache took; as input without it")),
    outputUsd: usdFlag("output-usd", "Output tokens, reasoning included"),
    from: fromFlag
  },
  run: Effect.fn(function* ({ from, organization, workspace, ...price }) {
    const scope = yield* priceScopeOf(organization, workspace)
    const effectiveFrom = from ?? (yield* DateTime.now)
    yield* printJson(priceRow(yield* setPrice({ actor: OPERATOR, scope, effectiveFrom, ...price })))
  })
})

const list = databaseCommand({
  name: "list",
  does: "List the prices that were set for a workspace, or without one for everybody",
  examples: ["prices list", `prices list ${OF_WORKSPACE} --json`],
  prints: { items: [A_PRICE] },
  flags: owner,
  run: Effect.fn(function* ({ organization, workspace }) {
    const scope = yield* priceScopeOf(organization, workspace)
    const store = yield* PriceOverrideStore
    const rows = (yield* store.list(scope?.workspaceId ?? null)).map(priceRow)
    const columns = ["id", "provider", "model", "input_usd", "output_usd", "effective_from"]
    yield* printRows(rows, columns, yield* JsonFlag)
  })
})

const remove = databaseCommand({
  name: "remove",
  does: "Take a price back, for calls from now on; prints JSON",
  examples: [`prices remove --price ${A_PRICE.id}`],
  prints: A_PRICE,
  flags: { price: idFlag("price", PriceOverrideId, "Id of the price") },
  run: Effect.fn(function* ({ price }) {
    const removed = yield* removePrice({ id: price, actor: OPERATOR }).pipe(
      Effect.catchTag(
        "PriceOverrideNotFound",
        () => new CommandRefused({ message: "There is no such price, or it was removed before" })
      )
    )
    yield* printJson(priceRow(removed))
  })
})

/** Commands about prices that the catalogue lacks, or that differ from it. */
export const prices = Command.make("prices").pipe(
  described({ does: "What models cost", examples: ["prices list"] }),
  Command.withSubcommands([set, list, remove])
)
