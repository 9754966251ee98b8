/** A small schema, and a value that fits it. */
import type { JsonSchema } from 'pagewright';

export const lampSchema: JsonSchema & object = {
  type: 'object',
  properties: { name: { type: 'string' }, price: { type: 'number' } },
  required: ['name'],
};

export const lamp: { readonly name: string; readonly price: number } = { name: 'Lamp', price: 12 };
