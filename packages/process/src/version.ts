/** The release that this is, as every manifest says it. */
export const VERSION = "0.1.0"
