/** Flags of the command line, derived from the option table. */
import { type Command, Option } from 'commander';
import { choicesOf, type Facet, type Input, unmetNeed } from '../../core/checks/option.ts';
import {
  attributeSelector,
  dataValue,
  jsonData,
  durationValue,
  headerValue,
  jsonObject,
  jsonList,
  listValue,
  namedNumbers,
  numberValue,
  repeatedValue,
  secondsValue,
  siteFolder,
} from './option-values.ts';

/** The parsers of values by placeholder, or by the name of the flag; other values are text. */
const readers = {
  '<count>': numberValue,
  '<hops>': numberValue,
  '<time>': durationValue,
  '<seconds>': secondsValue,
  '<json>': jsonList,
  '<name: value>': headerValue,
  '<name=number,…>': namedNumbers,
  '<kind,…>': listValue,
  '<tag,…>': listValue,
  '<code,…>': listValue,
  '<name,…>': listValue,
  '<host,…>': listValue,
  '<kinds>': listValue,
  '<selector@name>': attributeSelector,
  '<origin=folder>': siteFolder,
  '<data>': dataValue,
  schema: jsonObject,
  dataJson: jsonData,
};

/** Options of the library, and flags of the command line alone, with a text as in `Traits.cli`. */
export type Rows = Readonly<Record<string, Facet[string] | string>>;

type ValueOf<Cli extends string> = Cli extends `[${string}`
  ? string | true
  : Cli extends `--no-${string}` | `${string} / ${string}`
    ? boolean
    : Cli extends `${string}<${infer Placeholder}>${string}`
      ? `<${Placeholder}>` extends keyof typeof readers
        ? ReturnType<(typeof readers)[`<${Placeholder}>`]>
        : Cli extends `${string}repeatable`
          ? string[]
          : string
      : true;

/** The values that commander parses for these flags. */
export type FlagValues<Some extends Rows> = {
  readonly [Name in keyof Some]?: Name extends keyof typeof readers
    ? ReturnType<(typeof readers)[Name]>
    : Some[Name] extends string
      ? ValueOf<Some[Name]>
      : Exclude<Input<Some>[Name & keyof Input<Some>], undefined>;
};

/** Adds the flags of the options that have one. */
export function addFlags(command: Command, rows: Rows): Command {
  for (const [, flag] of Object.entries(rows).flatMap(flagsOf)) command.addOption(flag);
  return command;
}

/** The values that commander parsed for the flags of these options. */
export function flagValues<Rows extends object>(rows: Rows, values: object): Input<Rows> {
  const given = values as Readonly<Record<string, unknown>>;
  const pairs = Object.entries(rows as Facet).map((row) => {
    const [name, { schema, cli }] = row;
    const parts = flagsOf(row)
      .map(([part, flag]) => [part, given[flag.attributeName()]] as const)
      .filter(([, value]) => value !== undefined);
    const [[part, value] = []] = parts;
    if (typeof cli !== 'object' || value === undefined) return [name, value];
    return [name, choicesOf(schema) === undefined ? Object.fromEntries(parts) : part];
  });
  return Object.fromEntries(pairs) as Input<Rows>;
}

/** The names of the values that commander parses for the flags of these options. */
export function flagNames(rows: Facet): string[] {
  return Object.entries(rows)
    .flatMap(flagsOf)
    .map(([, flag]) => flag.attributeName());
}

/** The problem of a flag without the one that it needs. */
export function flagProblem(rows: Facet, values: object): string | undefined {
  const unmet = unmetNeed(rows, flagValues(rows, values));
  return unmet?.map((name) => flagsOf([name, rows[name] ?? ''])[0]?.[1].long).join(' needs ');
}

/** The flags of an option, each with the part of the option that it gives. */
function flagsOf([name, row]: [string, Rows[string]]): [string, Option][] {
  const { schema, cli = {} } = typeof row === 'string' ? { cli: row } : row;
  if (typeof cli !== 'string') {
    return Object.entries(cli).map(([part, text]) => [part, flagOf(part, text)]);
  }
  const [on = '', off] = cli.split(' / ');
  const flags = [flagOf(name, on, schema)];
  if (off !== undefined) flags.push(flagOf(`no-${name}`, off));
  return flags.map((flag) => [name, flag]);
}

function flagOf(name: string, cli: string, schema?: Facet[string]['schema']): Option {
  const [, own, placeholder = '', text = ''] =
    /^(?:--(\S+) )?(<[^>]*>|\[[^\]]*\])? ?(.*)$/s.exec(cli) ?? [];
  const word =
    own ?? name.replace('URL', 'Url').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const isOn = placeholder === '' && schema?.safeParse(undefined).data === true;
  const flag = new Option(`--${isOn ? 'no-' : ''}${word} ${placeholder}`.trim(), text);
  const choices = choicesOf(schema);
  if (choices !== undefined) return flag.choices(choices);
  const given: Readonly<Record<string, unknown>> = readers;
  const reader =
    given[name] ?? given[placeholder] ?? (text.endsWith('repeatable') ? repeatedValue : undefined);
  return reader === undefined
    ? flag
    : flag.argParser(reader as (text: string, before: unknown) => unknown);
}
