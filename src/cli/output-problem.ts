/** What is wrong with where pages should go. */
import { browserProblem, type BrowserValues } from './browser-options.ts';
import type { FormatInput } from '../index.ts';
import { type ContentValues, requestedFormats } from './content-options.ts';
import { formatWhenNone, outputKind } from './output-kind.ts';
import { screenshotProblem } from './screenshot-options.ts';
import type { PageOutput } from './write-pages.ts';

/** No format that was asked for is dropped in silence. */
export function outputProblem(
  values: ContentValues & BrowserValues & PageOutput,
): string | undefined {
  const { output, outputFormat, relativeLinks, screenshots } = values;
  const problem = browserProblem(values) ?? screenshotProblem(values);
  if (problem !== undefined) return problem;
  const kind = output === undefined ? undefined : outputKind(output, outputFormat);
  if (kind === undefined && outputFormat !== undefined) return '--output-format needs --output';
  if (kind !== 'markdown' && screenshots === true) {
    return '--screenshots are written beside markdown files: say where with --output';
  }
  if (kind !== 'markdown' && relativeLinks === true) {
    return '--relative-links are those of markdown files: name a folder with --output';
  }
  const formats = requestedFormats({ ...values, screenshots: undefined }, formatWhenNone(values));
  if (kind === 'warc' && !formats.includes('rawHtml')) {
    return '--output writes a web archive of rawHtml, which is not among the formats; add it';
  }
  return kind === 'markdown' ? folderProblem(formats, values) : undefined;
}

/** A folder takes markdown and pictures. */
function folderProblem(
  formats: readonly FormatInput[],
  { jsonl }: Pick<PageOutput, 'jsonl'>,
): string | undefined {
  if (!formats.includes('markdown')) {
    return '--output writes markdown, which is not among the formats; add it or use --jsonl instead';
  }
  if (formats.length > 1 && jsonl === undefined) {
    return '--output writes markdown only; add --jsonl for the other formats';
  }
  return undefined;
}
