/** What is fixed while one page is read. */
import type { Target } from './coerce.ts';
import type { JsonSchema, Shape } from './json-schema.ts';
import type { TextLocale } from './text-locale.ts';
import type { Transform } from './transforms.ts';

/** The schema and the page's language and base. */
export interface Reading {
  readonly shapeOf: (schema: JsonSchema) => Shape;
  readonly baseUrl: string;
  /** Of texts that people read. */
  readonly locale: TextLocale;
  /** Of JSON-LD and meta tags. */
  readonly machine: TextLocale;
  /** What a schema's `x-transform` does. */
  readonly transformOf: (schema: JsonSchema) => Transform | undefined;
  /** How many parts of the schema may still be looked at, and how much text may still be taken. */
  readonly budget: { parts: number; characters: number };
}

/** What a text of the page is to become. */
export function targetOf(name: string, shape: Shape, reading: Reading): Target {
  const { shapeOf, baseUrl, locale } = reading;
  return { name, shape, shapeOf, baseUrl, locale };
}

/** The same for a text that is made for machines. */
export function machineTargetOf(name: string, shape: Shape, reading: Reading): Target {
  return { ...targetOf(name, shape, reading), locale: reading.machine };
}
