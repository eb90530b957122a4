/**
 * Distinguishes this process from any other of the same pid, earlier or later; undefined when no such process runs.
 * A zombie counts as gone. On Windows a pid is all there is to go by. Fails where the process is there and cannot be told from
 * others, as without `ps` outside of Linux.
 */
export declare const processIdentity: (pid: number) => string | undefined

/** The words a process was started with, joined by spaces; undefined when there is none or it may not be seen. */
export declare const commandLine: (pid: number) => string | undefined

/** A lock that is ours until `release`, or the pid of the live process that has it. */
export type Lock =
  | { readonly taken: true; readonly release: () => void }
  | { readonly taken: false; readonly pid: number }

/**
 * Takes the lock file for this process, at once or not at all. A lock whose holder is gone, killed ones included, is
 * taken over; a holder's pid that was given to another process in the meantime counts as gone. Fails when the folder
 * cannot be written, or when this process or the holder cannot be told from others.
 */
export declare const takeLock: (path: string) => Lock
