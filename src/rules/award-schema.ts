import { emailSchema } from './email.ts'
import { idPattern } from './id.ts'
import { levelsMax } from './strict-json.ts'

/**
 * An award's body as JSON Schema. award-request.ts takes its limits and patterns from here, and the contract publishes
 * it unchanged, so what is published is what is checked. Patterns use only what means the same in every language:
 * no \w, no \p, no lookahead.
 */
export const awardSchema = {
  type: 'object',
  required: ['tenantId', 'orderId', 'userEmail', 'amount'],
  additionalProperties: false,
  properties: {
    tenantId: {
      type: 'string',
      pattern: idPattern,
      description: 'One of your allowedTenants.',
      examples: ['t1'],
    },
    orderId: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
      description:
        'Your id of the order. Each orderId is credited once, forever. Compared byte for byte; no control characters.',
      examples: ['order-1001'],
    },
    userEmail: {
      ...emailSchema,
      description: 'The user who gets the EP. A–Z become a–z; nothing is trimmed.',
      examples: ['ann@example.com'],
    },
    amount: {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Raw units, for example an order value: 1000 of them are 1 EP, rounded down.',
      examples: [5250],
    },
    note: {
      type: ['string', 'null'],
      maxLength: 500,
      pattern: '^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]*$',
      description:
        "Shown in the user's EP history. Tab and newline are the only control characters allowed. null is the same as omitting it.",
      examples: ['Thank you'],
    },
    meta: {
      type: ['object', 'null'],
      description:
        'Your own data, stored exactly as sent; not shown in history. null is the same as omitting it.',
      examples: [{ shop: 7 }],
    },
  },
} as const

export const metaBytesMax = 16_384

/** Further rules that JSON Schema cannot express, or only in a way that not every tool supports. */
export const awardRulesBeyondSchema = [
  'the body is UTF-8 without a byte order mark',
  'no key appears twice in one object, at any depth',
  'no key at any depth is __proto__',
  'orderId and note have no lone surrogates',
  'amount is read digit by digit: 1000.0000000000000001 is not an integer',
  `meta has at most ${metaBytesMax} bytes as sent`,
  `meta has at most ${levelsMax - 1} levels`,
] as const
