/** The YAML head of a markdown file: where the page is from and what is known about it. */
import type { Metadata } from '../model/metadata.ts';

/** In their order; what the page does not have is left out. */
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
] as const satisfies readonly (keyof Metadata)[];

/** Facts that are no metadata. */
export interface Beside {
  readonly warning?: string | undefined;
  /** Paths of pictures and PDFs of the page, relative to its file. */
  readonly screenshot?: string | undefined;
  readonly screenshots?: readonly string[] | undefined;
  readonly pdfs?: readonly string[] | undefined;
}

/** `---`, a line for each fact, `---`. Strings are in quotes, so that no page can add lines. */
export function frontMatter(metadata: Metadata, beside: Beside = {}): string {
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

/** JSON is YAML, but for characters that YAML calls not printable or line breaks. */
function inQuotes(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replace(/\p{Surrogate}/gu, '\ufffd') : part,
  );
  return text.replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
