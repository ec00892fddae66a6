import type { Operator } from '../../partners/operator.ts'
import type { Call } from './route.ts'

type Changing = Pick<Call<unknown, unknown, unknown>, 'identity' | 'address' | 'now' | 'parts'>

/** Who makes a change, from where and why: for the audit row, which the use case writes in the same transaction. */
export async function operatorOf(
  { identity, address, now, parts }: Changing,
  reason: string,
): Promise<Operator> {
  const { actor, session } = identity!
  return {
    store: await parts.partners(),
    actor,
    origin: session === null ? 'api' : 'console',
    address,
    reason,
    now,
  }
}
