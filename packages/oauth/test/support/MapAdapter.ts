/** Keeps the test provider's records in this process. Its own way of doing so warns with every start. */

interface Payload {
  readonly uid?: string
  readonly grantId?: string
  consumed?: number
}

/** An adapter in the sense of oidc-provider: one for each kind of thing, all over one map. */
export const mapAdapter = () => {
  const kept = new Map<string, Payload>()
  return class {
    readonly #kind: string
    constructor(kind: string) {
      this.#kind = kind
    }
    #key(id: string): string {
      return `${this.#kind} ${id}`
    }
    async upsert(id: string, payload: Payload): Promise<void> {
      kept.set(this.#key(id), payload)
    }
    async find(id: string): Promise<Payload | undefined> {
      return kept.get(this.#key(id))
    }
    async findByUid(uid: string): Promise<Payload | undefined> {
      return [...kept.values()].find((payload) => payload.uid === uid)
    }
    async consume(id: string): Promise<void> {
      const payload = kept.get(this.#key(id))
      if (payload !== undefined) payload.consumed = 1
    }
    async destroy(id: string): Promise<void> {
      kept.delete(this.#key(id))
    }
    async revokeByGrantId(grantId: string): Promise<void> {
      for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key)
    }
  }
}
