/** What is wrong with where pages should go. */
import { type ContentValues, requestedFormats } from './content-options.ts';
import type { PageOutput } from './write-pages.ts';

/** A folder takes markdown and nothing else; no format that was asked for is dropped in silence. */
export function outputProblem(values: ContentValues & PageOutput): string | undefined {
  if (values.output === undefined) return undefined;
  const formats = requestedFormats(values);
  if (!formats.includes('markdown')) {
    return '--output writes markdown, which is not among the formats; add it or use --jsonl instead';
  }
  if (formats.length > 1 && values.jsonl === undefined) {
    return '--output writes markdown only; add --jsonl for the other formats';
  }
  return undefined;
}
