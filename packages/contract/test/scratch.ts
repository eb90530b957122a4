import { OpenApi } from "effect/http-api"
import { Api } from "../src/index.ts"
console.log(JSON.stringify(OpenApi.fromApi(Api), null, 1))
