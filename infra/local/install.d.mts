/** The Node of package-lock.json, under this root of a checkout. */
export declare const nodeBinary: (root: string) => string
