/** The environment of the Postgres programs: nothing of ours, so that no PG variable of the caller misleads them. */
export const postgresEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  SystemRoot: process.env.SystemRoot,
  LC_ALL: "C",
  TZ: "UTC"
})
