/** The YAML front matter of a markdown file, written and parsed: the URL of the page and its metadata. */
import { loadPackage } from '../../core/runtime/optional-packages.ts';
import type { Metadata } from '../../core/model/document.ts';
import { damaged } from './storage-error.ts';
import { isRecord } from '../../core/runtime/json.ts';

/** Fields in the order of output; missing ones are left out. */
const fields = [
  'url',
  'sourceURL',
  'title',
  'description',
  'language',
  'author',
  'publishedTime',
  'modifiedTime',
  'statusCode',
  'error',
  'contentType',
  'depth',
  'parentUrl',
  'discoveredBy',
  'label',
] as const satisfies readonly (keyof Metadata)[];

/** Facts outside the metadata. */
export interface PageFacts {
  readonly warning?: string | undefined;
  /** Paths of pictures and PDFs of the page, relative to its file. */
  readonly screenshot?: string | undefined;
  readonly screenshots?: readonly string[] | undefined;
  readonly pdfs?: readonly string[] | undefined;
}

/** `---`, a line for each fact, `---`. Strings are in quotes, so that no page can add lines. */
export function frontMatter(metadata: Metadata, beside: PageFacts = {}): string {
  const { sourceURL, url } = metadata;
  const facts: [string, unknown][] = [
    ...fields.map((name): [string, unknown] => [name, metadata[name]]),
    ...Object.entries(beside),
  ];
  const lines = facts
    .filter(([name, value]) => isPlain(value) && !(name === 'sourceURL' && sourceURL === url))
    .map(([name, value]) => `${name}: ${inQuotes(value)}\n`);
  return `---\n${lines.join('')}---\n`;
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isPlain);
  return typeof value === 'string' || Number.isFinite(value);
}

/** JSON is YAML, except for characters that YAML counts as unprintable or as line breaks. */
function inQuotes(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replace(/\p{Surrogate}/gu, '\ufffd') : part,
  );
  return text.replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

// The facts in the head of a markdown file.

const maxHeadLength = 20_000; // characters: YAML takes quadratic time for nested values

/**
 * The facts; undefined if the head is YAML but not a mapping: then it is text between two rules. A head
 * written by `frontMatter()` needs no package, any other one the package `yaml`.
 */
export async function parseFrontMatter(
  file: string,
  head: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return parseLines(head) ?? (await parseYaml(file, head));
}

/** Parses one fact per line, each a JSON value. */
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
  if (head.length > maxHeadLength) {
    throw damaged(file, `has a YAML head of more than ${maxHeadLength} characters. Shorten it.`);
  }
  const { parse } = await loadYaml();
  let value: unknown;
  try {
    // The core schema has no dates, and its tags make only plain values.
    value = parse(head, { schema: 'core', logLevel: 'error', maxAliasCount: 100 });
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw damaged(file, `has a head that is not YAML: ${reason} Correct it.`, error);
  }
  return isRecord(value) ? value : undefined;
}

function loadYaml(): Promise<typeof import('yaml')> {
  return loadPackage('Reading the YAML head of a markdown file', 'yaml', () => import('yaml'));
}
