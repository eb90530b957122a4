import { classes } from "../../ui/classes.ts"
import { LongText } from "../../ui/LongText.tsx"
import { count, duration, exactMoney } from "../../ui/numbers.ts"
import { Status } from "../../ui/Status.tsx"
import { exactTime } from "../../ui/Time.tsx"
import type { Block } from "./logBlocks.ts"
import { tokensOf } from "./tokensOf.ts"

type BlockOf<Is extends Block["is"]> = Extract<Block, { readonly is: Is }>

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })

const Head = ({ at, detail, title }: { readonly at: string; readonly title: string; readonly detail?: string }) => (
  <p className="flex items-baseline gap-2 text-sm">
    <span className="font-medium">{title}</span>
    {detail && <span className="text-muted">{detail}</span>}
    <time dateTime={at} title={exactTime(at)} className="ml-auto text-xs text-muted tabular-nums">
      {clock.format(new Date(at))}
    </time>
  </p>
)

const TextBlock = ({ block }: { readonly block: BlockOf<"text"> }) => (
  <>
    <Head at={block.at} title={block.of === "message" ? "Agent" : "Reasoning"} />
    <div className={classes(block.of === "reasoning" && "text-muted")}>
      <LongText text={block.text} />
    </div>
  </>
)

const ToolBlock = ({ block }: { readonly block: BlockOf<"tool"> }) => (
  <>
    <Head
      at={block.at}
      title={`Tool ${block.name}`}
      detail={block.isOpen ? "running" : block.millis === undefined ? "" : duration(block.millis)}
    />
    {block.input !== undefined && <LongText mono text={block.input} />}
    {block.output !== undefined && (
      <div className={classes("mt-1 border-l-2 pl-2", block.isError ? "border-bad" : "border-line")}>
        {block.isError && <Status tone="bad" word="Failed" />}
        <LongText mono text={block.output} />
      </div>
    )}
  </>
)

const ModelBlock = ({ block }: { readonly block: BlockOf<"model"> }) => {
  const { cost_usd, duration_ms, error_code, request_model, status } = block.request
  // Calls that an agent reports itself have no duration.
  const took = typeof duration_ms === "number" && duration_ms > 0 ? duration(duration_ms) : ""
  return (
    <>
      <Head at={block.at} title={request_model ?? "Model call"} detail={took} />
      <p className="flex flex-wrap gap-x-4 text-sm text-muted tabular-nums">
        {tokensOf(block.request).map((text) => (
          <span key={text}>{text}</span>
        ))}
        <span>{exactMoney(cost_usd ?? null)}</span>
        {status !== "ok" && <Status tone="bad" word={error_code ?? status} />}
      </p>
    </>
  )
}

const TONES = { plain: "", bad: "text-bad", warn: "text-warn", good: "text-good" }

const LineBlock = ({ block }: { readonly block: BlockOf<"line"> }) => (
  <>
    <div className={TONES[block.tone]}>
      <Head at={block.at} title={block.title} />
    </div>
    {block.text !== "" && <LongText text={block.text} />}
  </>
)

const Content = ({ block }: { readonly block: Block }) => {
  switch (block.is) {
    case "text":
      return <TextBlock block={block} />
    case "tool":
      return <ToolBlock block={block} />
    case "model":
      return <ModelBlock block={block} />
    case "line":
      return <LineBlock block={block} />
  }
}

/** One thing in the log. All text of agents and tools is shown as text and never as anything else. */
export const BlockView = ({ block }: { readonly block: Block }) => (
  <>
    <Content block={block} />
    {block.cut !== undefined && <p className="text-sm text-warn">Cut off: it had {count(block.cut)} bytes.</p>}
  </>
)
