/** What a property asks for, by its name, type and format. */
import type { Target } from './coerce.ts';
import { fold, wordsOf } from './names.ts';
import { canonical } from './synonyms.ts';

/** What the property is, whatever it is called: its canonical name. */
export function meaning({ name }: Target): string {
  return meaningOf(name);
}

/** The same for a name. */
export function meaningOf(name: string): string {
  return canonical(fold(name));
}

/** The same for the last word of its name: `agentPhone` is a telephone. */
export function lastMeaning({ name }: Target): string {
  return canonical(wordsOf(name).at(-1) ?? '');
}

/** True for an e-mail address. */
export function isEmail(target: Target): boolean {
  return target.shape.schema.format === 'email' || lastMeaning(target) === 'email';
}

/** True for numbers. */
export function isNumeric({ shape: { kind } }: Target): boolean {
  return kind === 'number' || kind === 'integer';
}

/** True for the price of the thing itself. */
export function isPrice(target: Target): boolean {
  return meaning(target) === meaningOf('price');
}

/** True for dates with and without a time. */
export function isDate({ shape: { schema } }: Target): boolean {
  return schema.format === 'date' || schema.format === 'date-time';
}
