import type { Actor, Operator } from '../../partners/operator.ts'
import type { Call } from './route.ts'

type Changing = Pick<Call<unknown, unknown, unknown>, 'identity' | 'permission' | 'address' | 'now' | 'parts'>

/** Who makes a change, from where and why: for the audit row, which the use case writes in the same transaction. */
export async function operatorOf(call: Changing, reason: string): Promise<Operator> {
  return { store: await call.parts.partners(), ...actorIn(call, reason) }
}

/** The same without a store, for accounts and tokens. */
export function actorIn(
  { identity, permission, address, now }: Omit<Changing, 'parts'>,
  reason: string | null,
): Actor {
  const { actor, operatorId, session, token } = identity!
  const admittedAs = {
    operatorId,
    tokenId: token?.tokenId ?? null,
    sessionBeganAt: session?.beganAt ?? 0,
    permission,
  }
  return { actor, origin: session === null ? 'api' : 'console', address, reason, now, admittedAs }
}
