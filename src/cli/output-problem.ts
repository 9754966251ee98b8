/** What is wrong with where pages should go. */
import { browserProblem, type BrowserValues } from './browser-options.ts';
import { type ContentValues, requestedFormats } from './content-options.ts';
import { screenshotProblem } from './screenshot-options.ts';
import type { PageOutput } from './write-pages.ts';

/** A folder takes markdown and pictures; no format that was asked for is dropped in silence. */
export function outputProblem(
  values: ContentValues & BrowserValues & PageOutput,
): string | undefined {
  const problem = browserProblem(values) ?? screenshotProblem(values);
  if (problem !== undefined) return problem;
  if (values.output === undefined) {
    return values.screenshots === true
      ? '--screenshots are written beside markdown files: say where with --output'
      : undefined;
  }
  const formats = requestedFormats({ ...values, screenshots: undefined });
  if (!formats.includes('markdown')) {
    return '--output writes markdown, which is not among the formats; add it or use --jsonl instead';
  }
  if (formats.length > 1 && values.jsonl === undefined) {
    return '--output writes markdown only; add --jsonl for the other formats';
  }
  return undefined;
}
