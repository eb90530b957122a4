/** Names of headers that callers choose for requests to other hosts. */

/** The form of a name. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/u

/** Headers that rule the connection, or that the platform sets itself. */
const OWN_HEADERS = new Set(
  (
    "accept-encoding connection content-length expect host http2-settings keep-alive proxy-authorization proxy-connection te " +
    "trailer transfer-encoding upgrade"
  ).split(" ")
)

/** Whether a request can be given a header of this name. */
export const isSettable = (name: string): boolean => HEADER_NAME.test(name) && !OWN_HEADERS.has(name.toLowerCase())

/** Headers that say how a message is written. */
const MESSAGE_HEADERS = new Set(["accept", "content-encoding", "content-type"])

/** Whether a header of this name can carry a credential. `mcp-` begins those of the Model Context Protocol. */
export const canCarrySecret = (name: string): boolean => {
  const lowered = name.toLowerCase()
  return isSettable(name) && !MESSAGE_HEADERS.has(lowered) && !lowered.startsWith("mcp-")
}
