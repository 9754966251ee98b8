/** Flags of the command line, derived from the option table. */
import { type Command, Option } from 'commander';
import { choicesOf, type Facet, type Input } from '../../core/checks/option.ts';
import {
  durationValue,
  headerValue,
  jsonList,
  listValue,
  namedNumbers,
  numberValue,
  repeatedValue,
  secondsValue,
} from './option-values.ts';

/** The parsers of values by placeholder; other values are text. */
const readers: Readonly<Record<string, (text: string, before: never) => unknown>> = {
  '<count>': numberValue,
  '<hops>': numberValue,
  '<time>': durationValue,
  '<seconds>': secondsValue,
  '<json>': jsonList,
  '<name: value>': headerValue,
  '<name=number,…>': namedNumbers,
  '<kind,…>': listValue,
  '<tag,…>': listValue,
  '<name,…>': listValue,
  '<host,…>': listValue,
};

/** Adds the flags of the options that have one. */
export function addFlags(command: Command, rows: Facet): Command {
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

/** The flags of an option, each with the part of the option that it gives. */
function flagsOf([name, { schema, cli = {} }]: [string, Facet[string]]): [string, Option][] {
  if (typeof cli !== 'string') {
    return Object.entries(cli).map(([part, text]) => [part, flagOf(part, text)]);
  }
  const [on = '', off] = cli.split(' / ');
  const flags = [flagOf(name, on, schema)];
  if (off !== undefined) flags.push(flagOf(`no-${name}`, off));
  return flags.map((flag) => [name, flag]);
}

function flagOf(name: string, cli: string, schema?: Facet[string]['schema']): Option {
  const [, own, placeholder = '', text = ''] = /^(?:--(\S+) )?(<[^>]*>)? ?(.*)$/s.exec(cli) ?? [];
  const word =
    own ?? name.replace('URL', 'Url').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const isOn = placeholder === '' && schema?.safeParse(undefined).data === true;
  const flag = new Option(`--${isOn ? 'no-' : ''}${word} ${placeholder}`.trim(), text);
  const choices = choicesOf(schema);
  if (choices !== undefined) return flag.choices(choices);
  const reader = readers[placeholder] ?? (text.endsWith('repeatable') ? repeatedValue : undefined);
  return reader === undefined
    ? flag
    : flag.argParser(reader as (text: string, before: unknown) => unknown);
}
