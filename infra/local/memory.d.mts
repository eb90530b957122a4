export declare const MEMORY_ENVIRONMENT: Readonly<Record<string, string>>
export declare const MEMORY_FLAGS: ReadonlyArray<string>
export declare const WORKER_FLAGS: ReadonlyArray<string>
export declare const flagsOf: (app: "admin" | "api" | "worker") => ReadonlyArray<string>
