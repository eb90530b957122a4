export declare const MEMORY_ENVIRONMENT: Readonly<Record<string, string>>
export declare const MEMORY_FLAGS: ReadonlyArray<string>
