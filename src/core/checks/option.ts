/** The option table: a row is an option with its check, its default and what else depends on it. */
import { z } from 'zod';
import { messageOf, PagewrightError, ValidationError } from '../runtime/errors.ts';
import { firstDefined } from '../runtime/first-defined.ts';

/** What depends on an option besides its value. */
export interface Traits<Call extends string = string> {
  /**
   * Its flag: `<placeholder> text`, or the text alone for a switch, `on / off` for one without a default. Of an
   * object the flags of its properties, of choices the switch of a single one. @default no flag
   */
  readonly cli?: string | Readonly<Record<string, string>>;
  /** The calls that take this option, where they do not take all of its facet. */
  readonly calls?: readonly Call[];
  /** True for an option of the request that does not change the page. @default false */
  readonly samePage?: boolean;
  /** Why a page that was requested with it is for this caller alone: `it has …`. @default the cache may share it */
  readonly private?: string;
  /** True for an option of how a job runs, not of its result: it may change on resume. @default false */
  readonly mayChange?: boolean;
  /** The option of its facet without which it means nothing. @default none */
  readonly needs?: string;
  /** True for a value in it, by its path, that a store must not hold in the clear. @default none is */
  readonly secret?: (path: readonly string[], value: string | URL) => boolean;
  /** True for an option of a call that a store must not hold in the clear as a whole. @default false */
  readonly allSecret?: boolean;
}

/** A row of the table. */
export interface Option<Out, In, Call extends string = never> extends Traits<Call> {
  readonly schema: z.ZodType<Out, In>;
}

/** The rows of a facet, by the name of the option. */
export type Facet = Readonly<Record<string, Option<unknown, unknown, string>>>;

/** The rows that a call takes of a facet. */
export type Taken<Rows, Call extends string> = {
  readonly [
    Name in keyof Rows as Rows[Name] extends Option<unknown, unknown, infer Calls>
      ? Call extends Calls
        ? Name
        : never
      : never
  ]: Rows[Name];
};

type Given<Row> = Row extends Option<unknown, infer In, string> ? In : never;

/** The options of a facet as callers write them. */
export type Input<Rows> = {
  readonly [Name in keyof Rows as undefined extends Given<Rows[Name]> ? never : Name]: Given<
    Rows[Name]
  >;
} & {
  readonly [Name in keyof Rows as undefined extends Given<Rows[Name]> ? Name : never]?: Given<
    Rows[Name]
  >;
};

type Checked<Row> = Row extends Option<infer Out, unknown, string> ? Out : never;

/** The checked options of a facet; none with a default is undefined. */
export type Output<Rows> = {
  readonly [Name in keyof Rows as undefined extends Checked<Rows[Name]> ? never : Name]: Checked<
    Rows[Name]
  >;
} & {
  readonly [Name in keyof Rows as undefined extends Checked<Rows[Name]> ? Name : never]?: Checked<
    Rows[Name]
  >;
};

/** Makes a row. The option may be left out; the default of the schema then takes its place. */
export function option<Out, In, const Call extends string = never>(
  schema: z.ZodType<Out, In>,
  traits: Traits<Call> = {},
): Option<undefined extends In ? Out : Out | undefined, In | undefined, Call> {
  const whole = schema instanceof z.ZodDefault ? schema : schema.optional();
  return { schema: whole as z.ZodType as z.ZodType<never, never>, ...traits };
}

/** Makes the row of an option that callers have to give. */
export function required<Out, In, const Call extends string = never>(
  schema: z.ZodType<Out, In>,
  traits: Traits<Call> = {},
): Option<Out, In, Call> {
  return { schema, ...traits };
}

/**
 * The schema of a value that `read` converts. Its errors become issues, except those with a code
 * other than `BAD_REQUEST`, which are thrown. Messages must not repeat secrets.
 */
export function readBy<Out, In>(read: (given: In) => Out): z.ZodType<Out, In> {
  return z.custom<In>().transform((given, context) => {
    try {
      return read(given);
    } catch (error) {
      if (error instanceof PagewrightError && error.code !== 'BAD_REQUEST') throw error;
      const whole = [{ path: [], message: messageOf(error) }];
      for (const { path, message } of error instanceof ValidationError ? error.issues : whole) {
        context.addIssue({ code: 'custom', path: [...path], message });
      }
      return z.NEVER;
    }
  });
}

/** The schemas of secrets: messages, which may be logged, do not repeat their values. */
export const redacted: z.core.$ZodRegistry = z.registry();

/** The schema of a list. */
export function list<Out, In>(
  schema: z.ZodType<Out, In>,
  most = Infinity,
): z.ZodType<readonly Out[], readonly In[]> {
  return z.array(schema).max(most);
}

/** The schema of a choice among names. */
export function choice<const Name extends string>(names: readonly Name[]): z.ZodType<Name, Name> {
  return z.enum(names);
}

/** The rows that a call takes of a facet. */
export function takenBy<Rows extends object, Call extends string>(
  call: Call,
  rows: Rows,
): Taken<Rows, Call> {
  const taken = Object.entries(rows as Facet).filter(([, { calls }]) => calls?.includes(call));
  return Object.fromEntries(taken) as Taken<Rows, Call>;
}

/** The option that was given without the one that it needs, and that one. */
export function unmetNeed(rows: Facet, given: object): readonly [string, string] | undefined {
  const has = (name: string): boolean => (given as Record<string, unknown>)[name] !== undefined;
  return firstDefined(Object.entries(rows), ([name, { needs }]) =>
    needs !== undefined && has(name) && !has(needs) ? [name, needs] : undefined,
  );
}

/** The schema of an object with these options, and no others unless `object` allows them. */
export function schemaOf<Rows extends object>(
  rows: Rows,
  object: (shape: Record<string, z.ZodType>) => z.ZodType = z.strictObject,
): z.ZodType<Output<Rows>, Input<Rows>> {
  const shape = Object.entries(rows as Facet).map(([name, { schema }]) => [name, schema] as const);
  return object(Object.fromEntries(shape)) as unknown as z.ZodType<Output<Rows>, Input<Rows>>;
}

/** The names among which an option chooses; undefined for other options. */
export function choicesOf(schema: unknown): readonly string[] | undefined {
  const isWrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional;
  const inner: unknown = isWrapped ? schema.unwrap() : schema;
  if (inner instanceof z.ZodUnion) {
    const [names, ...others] = inner.options;
    return others.every((other) => other instanceof z.ZodCustom) ? choicesOf(names) : undefined;
  }
  return inner instanceof z.ZodEnum ? inner.options.map(String) : undefined;
}

/** The options that have a row, and the others. */
export function split<Options extends object, Rows extends object>(
  options: Options,
  rows: Rows,
): [own: Pick<Options, keyof Options & keyof Rows>, others: Omit<Options, keyof Rows>] {
  const entries = Object.entries(options);
  const own = Object.fromEntries(entries.filter(([name]) => Object.hasOwn(rows, name)));
  const others = Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(rows, name)));
  return [own as Pick<Options, keyof Options & keyof Rows>, others as Omit<Options, keyof Rows>];
}
