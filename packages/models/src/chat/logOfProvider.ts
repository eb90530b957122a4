import type { Turn } from "@agent-platform/runs"

/** Logs a message about a model's provider, or of it. `about_provider` keeps it from callers that see no costs. */
export const logOfProvider = ({ emit }: Pick<Turn, "emit">, provider: string, message: string) =>
  emit("log", { message, provider, about_provider: true })
