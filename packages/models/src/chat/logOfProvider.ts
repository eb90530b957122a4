import type { Turn } from "@agent-platform/runs"

/** Logs words about a model's provider, or of it. They are kept from who sees no costs. */
export const logOfProvider = ({ emit }: Pick<Turn, "emit">, provider: string, message: string) =>
  emit("log", { message, provider, about_provider: true })
