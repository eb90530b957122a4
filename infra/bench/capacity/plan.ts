/** From the cost of a run to machines: arithmetic alone, so that anybody can put in other figures. */

/** The cost of a unit, such as one run. Processor time in microseconds of a core, WAL and storage in bytes. */
export interface UnitCost {
  readonly api: number
  readonly worker: number
  readonly postgres: number
  readonly wal: number
  readonly stored: number
  readonly transactionIds: number
}

/** The parts that a day's work is made of. */
export interface UnitCosts {
  readonly run: UnitCost
  readonly call: UnitCost
  readonly event: UnitCost
  readonly delivery: UnitCost
  readonly read: UnitCost
}

/** The work of a day, and how it is to be carried. */
export interface Work {
  readonly runsPerDay: number
  /** By how much the busiest minute is above the mean of the day. */
  readonly peak: number
  readonly secondsPerRun: number
  /** How many of each belong to one run. */
  readonly calls: number
  readonly events: number
  readonly deliveries: number
  readonly reads: number
  /** Processor time of a worker for a call beside its admission, in microseconds: HTTP, TLS and the stream of the answer. */
  readonly callMicros: number
  readonly daysKept: number
  /** The share of a core that is used at the peak. */
  readonly utilization: number
  readonly poolMax: number
  readonly runsMax: number
}

/** The most that one Postgres gives. */
export interface PostgresLimits {
  readonly cores: number
  readonly walMegabytesPerSecond: number
  readonly storedTerabytes: number
  readonly connections: number
  /** How many hours it takes to freeze the largest table, which has to be done before transaction numbers run out. */
  readonly freezeHours: number
}

/** A limit, and which part of it is used. */
export interface Share {
  readonly limit: string
  readonly share: number
}

export interface Plan {
  readonly peakRunsPerSecond: number
  readonly executing: number
  readonly apis: number
  readonly workers: number
  readonly postgresCores: number
  readonly walMegabytesPerSecond: number
  readonly walGigabytesPerDay: number
  readonly storedTerabytes: number
  readonly connections: number
  readonly hoursToFreeze: number
  /** The fullest first. */
  readonly shares: readonly [Share, ...ReadonlyArray<Share>]
}

const DAY_SECONDS = 86_400

/** At least two of each, so that one goes on while the other is replaced. */
const PROCESSES_MIN = 2

/** The connections that an API or a worker opens beside its pool. */
const QUEUE_CONNECTIONS = 2
/** All connections of the scheduler. */
const SCHEDULER_CONNECTIONS = 6

/** Half of the 32-bit numbers of transactions: rows that are older must have been frozen before. */
const TRANSACTION_IDS = 2 ** 31

/** The cost of a run with everything that belongs to it. */
export const costOfRun = ({ call, delivery, event, read, run }: UnitCosts, work: Work): UnitCost => {
  const sum = (name: keyof UnitCost) =>
    run[name] +
    work.calls * call[name] +
    work.events * event[name] +
    work.deliveries * delivery[name] +
    work.reads * read[name]
  return {
    api: sum("api"),
    worker: sum("worker") + work.calls * work.callMicros,
    postgres: sum("postgres"),
    wal: sum("wal"),
    stored: sum("stored"),
    transactionIds: sum("transactionIds")
  }
}

/** The machines for a day's work, and how full one Postgres would be. */
export const planOf = (costs: UnitCosts, work: Work, limits: PostgresLimits): Plan => {
  const each = costOfRun(costs, work)
  const mean = work.runsPerDay / DAY_SECONDS
  const peakRunsPerSecond = mean * work.peak
  const cores = (micros: number) => (peakRunsPerSecond * micros) / 1e6 / work.utilization
  const executing = peakRunsPerSecond * work.secondsPerRun
  const apis = Math.max(PROCESSES_MIN, Math.ceil(cores(each.api)))
  const workers = Math.max(PROCESSES_MIN, Math.ceil(cores(each.worker)), Math.ceil(executing / work.runsMax))
  const connections = (apis + workers) * (work.poolMax + QUEUE_CONNECTIONS) + SCHEDULER_CONNECTIONS
  const postgresCores = cores(each.postgres)
  const walMegabytesPerSecond = (peakRunsPerSecond * each.wal) / 1e6
  const storedTerabytes = (work.runsPerDay * each.stored * work.daysKept) / 1e12
  const hoursToFreeze = (TRANSACTION_IDS / (work.runsPerDay * each.transactionIds)) * 24
  const [first, ...others] = [
    { limit: "processors", share: postgresCores / limits.cores },
    { limit: "WAL", share: walMegabytesPerSecond / limits.walMegabytesPerSecond },
    { limit: "storage", share: storedTerabytes / limits.storedTerabytes },
    { limit: "connections", share: connections / limits.connections },
    { limit: "freezing", share: limits.freezeHours / hoursToFreeze }
  ].sort((one, other) => other.share - one.share) as [Share, ...ReadonlyArray<Share>]
  return {
    peakRunsPerSecond,
    executing,
    apis,
    workers,
    postgresCores,
    walMegabytesPerSecond,
    walGigabytesPerDay: (work.runsPerDay * each.wal) / 1e9,
    storedTerabytes,
    connections,
    hoursToFreeze,
    shares: [first, ...others]
  }
}
