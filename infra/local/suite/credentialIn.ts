/** Credentials of ours, known by their form: API keys, signing secrets, cookies of sessions. */
const CREDENTIAL = /(apk_(?:ws|org)_|whsec_|agent-platform-session=)[0-9A-Za-z+/_-]{43}/

/** The beginning of the first credential in what was printed or logged; undefined when there is none. */
export const credentialIn = (output: string): string | undefined => CREDENTIAL.exec(output)?.[0].slice(0, 12)
