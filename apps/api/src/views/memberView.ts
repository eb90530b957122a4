import { type Member, memberStatusOf } from "@agent-platform/keys"
import type { DateTime } from "effect"

/** A member as the contract shows it, as of `now`. */
export const memberView = (member: Member, now: DateTime.Utc) => ({ ...member, status: memberStatusOf(member, now) })
