import { redactCredentials } from "@agent-platform/runs"

/** The form of our API keys and signing secrets, known by their prefix. A text that is too short for one does not match. */
const CREDENTIAL = /(apk_(?:ws|org)_|whsec_)([0-9A-Za-z+/]{4})[0-9A-Za-z+/]{12,}=*/g

/**
 * The text with the platform's credentials cut to their first digits, and with others, such as a model provider's keys, removed.
 * Callers put keys into names of members and into request ids, and responses and logs must not repeat them.
 */
export const withoutCredentials = (text: string): string => redactCredentials(text.replaceAll(CREDENTIAL, "$1$2…")).text
