import { hostname } from "node:os"

/** The name of this process in the history of jobs: its kind, its machine and its process id. */
export const holderOf = (app: string): string => `${app} ${hostname()} ${process.pid}`
