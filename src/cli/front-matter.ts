/** The YAML head of a markdown file: where the page is from and what is known about it. */
import type { Metadata } from '../index.ts';

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

/** `---`, a line for each fact, `---`. Strings are in quotes, so that no page can add lines. */
export function frontMatter(metadata: Metadata, warning: string | undefined): string {
  const facts: [string, unknown][] = fields.map((name) => [name, metadata[name]]);
  const lines = [...facts, ['warning', warning] as const]
    .filter(([name, value]) => isPlain(value) && !(name === 'sourceURL' && value === metadata.url))
    .map(([name, value]) => `${name}: ${scalar(value)}\n`);
  return `---\n${lines.join('')}---\n`;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/** A JSON string is a YAML string, but for characters that YAML calls not printable or line breaks. */
function scalar(value: unknown): string {
  const text = JSON.stringify(
    typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value,
  );
  return text.replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
