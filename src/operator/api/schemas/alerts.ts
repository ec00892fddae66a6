import { Type } from 'typebox'
import { alertKinds } from '../../../alerts/alert.ts'
import { count, exact, oneOf, orNull, text, time } from './values.ts'

const alertKind = oneOf(alertKinds)

export const alert = exact({
  kind: alertKind,
  partnerId: text("The partner's id."),
  tenantId: orNull(text("The tenant's id.")),
  keyId: orNull(text("The key's id.")),
  facts: Type.Record(Type.String(), Type.Number(), { description: 'The numbers that led to it.' }),
  raisedAt: time('When it began.'),
  endedAt: orNull(time('When it ended; null while it is open.')),
  text: text('One sentence.'),
})

export const alertList = exact({
  alerts: Type.Array(alert, { description: 'Newest first.' }),
  older: count('How many more there are.'),
})
