/** The facts in the head of a markdown file. */
import { MissingDependencyError } from '../errors.ts';
import { damaged } from './storage-error.ts';

/** Characters of a head of others: YAML takes time with the square of what is nested. */
const maxLength = 20_000;

/**
 * The facts; undefined when the head is YAML and no mapping: then it is text between two rules. A head
 * that `frontMatter()` wrote needs no package, any other one the package `yaml`.
 */
export async function parseHead(
  file: string,
  head: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return parseLines(head) ?? (await parseYaml(file, head));
}

/** A fact a line, each a value as JSON has it. */
function parseLines(head: string): Readonly<Record<string, unknown>> | undefined {
  const facts: [string, unknown][] = [];
  for (const line of head.split(/\r?\n/)) {
    if (line === '') continue;
    const [, name, value] = /^([A-Za-z]\w{0,99}): (["\d[-].*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    try {
      facts.push([name, JSON.parse(value)]);
    } catch {
      return undefined;
    }
  }
  return Object.fromEntries(facts);
}

async function parseYaml(
  file: string,
  head: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (head.length > maxLength) {
    throw damaged(file, `has a YAML head of more than ${maxLength} characters. Shorten it.`);
  }
  const { parse } = await load();
  let value: unknown;
  try {
    // The core schema has no dates, and no tag of it makes anything but plain values.
    value = parse(head, { schema: 'core', logLevel: 'error', maxAliasCount: 100 });
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw damaged(file, `has a head that is not YAML: ${reason} Correct it.`, error);
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

async function load(): Promise<typeof import('yaml')> {
  try {
    return await import('yaml');
  } catch (error) {
    throw new MissingDependencyError('yaml', 'Reading the YAML head of a markdown file', error);
  }
}
