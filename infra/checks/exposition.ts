/** Reads a page of metrics in the text format of Prometheus, and says what is wrong with it. */

interface Sample {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
}

/** The samples of one metric, with what is said about them. */
export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string | undefined
  readonly samples: ReadonlyArray<Sample>
}

const NAME = /^[a-z_][a-z0-9_]*$/
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/

/** The part of a histogram that a sample is, behind the name of its metric. */
const PARTS = ["_bucket", "_sum", "_count"]

const valueOf = (text: string): number =>
  text === "+Inf" ? Number.POSITIVE_INFINITY : text === "-Inf" ? Number.NEGATIVE_INFINITY : Number(text)

const readLabels = (text: string): ReadonlyMap<string, string> | undefined => {
  const labels = new Map<string, string>()
  let rest = text
  while (rest !== "") {
    const [whole = "", name = "", value = ""] = LABEL.exec(rest) ?? []
    if (whole === "" || labels.has(name)) return undefined
    labels.set(name, value)
    rest = rest.slice(whole.length)
  }
  return labels
}

interface Reading {
  readonly families: ReadonlyArray<Family>
  readonly problems: ReadonlyArray<string>
}

/** The metrics of a page, and the lines that are none or come in the wrong place. */
export const readExposition = (page: string): Reading => {
  const problems: Array<string> = []
  const families = new Map<string, { name: string; type: string; help: string | undefined; samples: Array<Sample> }>()
  let current: string | undefined
  let help: readonly [name: string, text: string] | undefined
  if (!page.endsWith("\n")) problems.push("the last line does not end")
  for (const line of page.split("\n").filter((one) => one !== "")) {
    const [, about, name = "", text = ""] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (about === "HELP") {
      if (families.has(name)) problems.push(`${name}: HELP comes again, or behind TYPE`)
      help = [name, text]
    } else if (about === "TYPE") {
      if (families.has(name)) problems.push(`${name}: TYPE comes again`)
      else families.set(name, { name, type: text, help: help?.[0] === name ? help[1] : undefined, samples: [] })
      current = name
    } else if (!line.startsWith("#")) {
      const [, sampled = "", labelled = "", value = ""] = SAMPLE.exec(line) ?? []
      const labels = readLabels(labelled)
      const family = families.get(current ?? "")
      const isMember =
        sampled === family?.name ||
        (family?.type === "histogram" && PARTS.some((part) => sampled === `${family.name}${part}`))
      if (sampled === "" || labels === undefined || Number.isNaN(valueOf(value))) problems.push(`not a sample: ${line}`)
      else if (!isMember) problems.push(`${sampled}: not below the TYPE of its metric`)
      else family?.samples.push({ name: sampled, labels, value: valueOf(value) })
    }
  }
  return { families: [...families.values()], problems }
}

/** Units that have another base, as promtool knows them. */
const OTHER_UNITS = /_(?:minutes|hours|days|weeks|bits|(?:milli|micro|nano)seconds|(?:kilo|kibi|mega|giga)bytes)(?:_|$)/
const SHORT_UNITS = /_(?:s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d)(?:_|$)/

/** Names that say a time, a size or a moment. */
const TIMED = /(?:^|_)(?:duration|age|lag|wait|delay|period|latency|timestamp)(?:_|$)/
const SIZED = /(?:^|_)(?:memory|size|heap)(?:_|$)/

const nameProblems = ({ help, name, samples, type }: Family): ReadonlyArray<string> => {
  const labels = new Set(samples.flatMap((sample) => [...sample.labels.keys()]))
  const plain = name.replace(/_total$/, "")
  return [
    [!NAME.test(name), "its name is not in lower-case letters, digits and underscores"],
    [help === undefined || help === "", "nothing says what it means"],
    [!["counter", "gauge", "histogram"].includes(type), `its type is ${type}`],
    [(type === "counter") !== name.endsWith("_total"), "counters end in _total, and nothing else does"],
    [type !== "histogram" && /_(?:bucket|count|sum)$/.test(name), "it ends as a part of a histogram does"],
    [/_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name), "its name says its type"],
    [OTHER_UNITS.test(name), "its unit is not a base unit"],
    [SHORT_UNITS.test(name), "its unit is abbreviated"],
    [TIMED.test(plain) && !plain.endsWith("_seconds"), "times are in _seconds"],
    [SIZED.test(plain) && !plain.endsWith("_bytes"), "sizes are in _bytes"],
    [type !== "histogram" && labels.has("le"), "the label le is for histograms"],
    [labels.has("quantile"), "the label quantile is for summaries"],
    [["job", "instance"].some((label) => labels.has(label)), "Prometheus has labels of that name itself"],
    [[...labels].some((label) => !NAME.test(label)), "a label is not in lower-case letters, digits and underscores"]
  ].flatMap(([isWrong, why]) => (isWrong === true ? [`${name}: ${why}`] : []))
}

const keyOf = ({ labels, name }: Sample, without?: string): string =>
  JSON.stringify([name, [...labels].filter(([label]) => label !== without).sort()])

const sampleProblems = ({ name, samples, type }: Family): ReadonlyArray<string> => {
  const keys = samples.map((sample) => keyOf(sample))
  const doubled = keys.length === new Set(keys).size ? [] : [`${name}: a series comes twice`]
  const negative = type === "counter" && samples.some(({ value }) => value < 0) ? [`${name}: it is below 0`] : []
  if (type !== "histogram") return [...doubled, ...negative]
  const buckets = Map.groupBy(
    samples.filter((sample) => sample.name === `${name}_bucket`),
    (sample) => keyOf(sample, "le")
  )
  const broken = [...buckets.values()].some((series) => {
    const bounds = series.map(({ labels }) => valueOf(labels.get("le") ?? "none"))
    const rising = series.every(({ value }, place) => place === 0 || value >= (series[place - 1]?.value ?? 0))
    const sorted = bounds.every((bound, place) => place === 0 || bound > (bounds[place - 1] ?? 0))
    const total = samples.find(
      (sample) =>
        sample.name === `${name}_count` &&
        [...sample.labels].every(([label, value]) => series[0]?.labels.get(label) === value)
    )
    return !rising || !sorted || bounds.at(-1) !== Number.POSITIVE_INFINITY || total?.value !== series.at(-1)?.value
  })
  return [...doubled, ...(broken ? [`${name}: its buckets do not add up`] : [])]
}

/** Everything that is wrong with a page: its form, and names that break Prometheus's conventions. */
export const expositionProblems = (page: string): ReadonlyArray<string> => {
  const { families, problems } = readExposition(page)
  return [...problems, ...families.flatMap((family) => [...nameProblems(family), ...sampleProblems(family)])]
}
