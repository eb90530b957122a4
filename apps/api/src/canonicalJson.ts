export { canonicalJson } from "@agent-platform/kernel"
