import { Context } from "effect"

/** How this process is called in the history of jobs and in the log, such as `worker host 4711`. */
export const ProcessName = Context.Reference<string>("@agent-platform/kernel/ProcessName", {
  defaultValue: () => "unnamed"
})
