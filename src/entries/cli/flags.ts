/** Flags of the command line, derived from the option table. */
import { type Command, Option } from 'commander';
import { choicesOf, type Facet, type Input } from '../../core/options/option.ts';
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

/** How the value of a placeholder is read; others are text. */
const readers: Readonly<Record<string, (text: string, before: never) => unknown>> = {
  '<count>': numberValue,
  '<hops>': numberValue,
  '<time>': durationValue,
  '<seconds>': secondsValue,
  '<json>': jsonList,
  '<name: value>': headerValue,
  '<name=number,…>': namedNumbers,
  '<kind,…>': listValue,
};

/** Adds the flags of the options that have one. */
export function addFlags(command: Command, rows: Facet): Command {
  for (const flag of Object.entries(rows).flatMap(flagOf)) command.addOption(flag);
  return command;
}

/** The values that commander parsed for the flags of these options. */
export function flagValues<Rows extends object>(rows: Rows, values: object): Input<Rows> {
  const given = values as Readonly<Record<string, unknown>>;
  const pairs = Object.entries(rows as Facet).map((row) => {
    const [flag] = flagOf(row);
    return [row[0], flag && given[flag.attributeName()]];
  });
  return Object.fromEntries(pairs) as Input<Rows>;
}

function flagOf([name, { schema, cli }]: [string, Facet[string]]): Option[] {
  if (cli === undefined) return [];
  const [, own, placeholder = '', text = ''] = /^(?:--(\S+) )?(<[^>]*>)? ?(.*)$/s.exec(cli) ?? [];
  const word =
    own ?? name.replace('URL', 'Url').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const isOn = placeholder === '' && schema.safeParse(undefined).data === true;
  const flag = new Option(`--${isOn ? 'no-' : ''}${word} ${placeholder}`.trim(), text);
  const choices = choicesOf(schema);
  if (choices !== undefined) return [flag.choices(choices)];
  const reader = readers[placeholder] ?? (text.endsWith('repeatable') ? repeatedValue : undefined);
  return [
    reader === undefined
      ? flag
      : flag.argParser(reader as (text: string, before: unknown) => unknown),
  ];
}
