import { redactCredentials } from "@agent-platform/runs"

/** An API key or a signing secret, as far as its beginning shows it. What is too short for one is left alone. */
const CREDENTIAL = /(apk_(?:ws|org)_|whsec_)([0-9A-Za-z+/]{4})[0-9A-Za-z+/]{12,}=*/g

/**
 * The text with every credential of ours cut to its first digits, and those of others, such as a model provider's keys, taken
 * out: callers put keys into names of members and request ids, and what is answered or logged must not pass them on.
 */
export const withoutCredentials = (text: string): string => redactCredentials(text.replaceAll(CREDENTIAL, "$1$2…")).text
