import { EgressPurpose } from "@agent-platform/kernel"
import { CommandRefused } from "@agent-platform/process"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { described, JsonFlag } from "../described.ts"
import { examine } from "../doctor/examine.ts"
import { linesOf } from "../doctor/linesOf.ts"
import { printJson } from "../printed.ts"

const NOBODY = "none"

const isTarget = (text: string): boolean => text === NOBODY || /^https?:$/.test(URL.parse(text)?.protocol ?? "")

/** Looks at settings, database, queues, clocks and the way out, and says what to do. */
export const doctor = Command.make(
  "doctor",
  {
    egressTarget: Flag.String("egress-target").pipe(
      Flag.withMetavar("URL|none"),
      Flag.withDescription("Whom to call to see that calls get out: https://example.com/ without it, nobody with none"),
      Flag.filter(isTarget, () => "a URL, or none"),
      Flag.withDefault("https://example.com/")
    ),
    purpose: Flag.Literals("egress-purpose", EgressPurpose.literals).pipe(
      Flag.withDescription("As what that is called, for what the settings admit: webhooks without it"),
      Flag.withDefault("webhooks")
    )
  },
  Effect.fn(function* ({ egressTarget, purpose }) {
    const findings = yield* examine(egressTarget === NOBODY ? undefined : { url: egressTarget, purpose })
    const problems = findings.filter(({ level }) => level === "problem").length
    if (yield* JsonFlag) yield* printJson({ healthy: problems === 0, findings })
    else yield* Effect.forEach(linesOf(findings), (line) => Console.log(line), { discard: true })
    if (problems > 0) {
      return yield* new CommandRefused({
        message: `${problems} ${problems === 1 ? "problem was" : "problems were"} found`
      })
    }
  })
).pipe(
  described({
    does: "Look at settings, database, queues, jobs, clocks and the way out, and say what to do; exit code 3 with a problem",
    examples: [
      "doctor",
      "doctor --egress-target https://hooks.example.com/ --json",
      "doctor --egress-target none",
      "doctor --egress-target http://vllm.internal:8000/ --egress-purpose providers"
    ],
    prints: {
      healthy: false,
      findings: [
        {
          check: "database.schema",
          level: "problem",
          message: "The schema is pending",
          advice: "Run 'admin migrate'."
        }
      ]
    }
  })
)
