import { hostname } from "node:os"

/** How this process is called in the history of jobs: what it is, on which machine, and under which number. */
export const holderOf = (app: string): string => `${app} ${hostname()} ${process.pid}`
