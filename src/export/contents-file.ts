/** The list of pages in a folder of markdown files. */
import type { Metadata } from '../model/metadata.ts';
import { oneLine } from './one-line.ts';

/** At the top of the folder; no page has this name. */
export const contentsName = 'contents.md';

/** By the first line it is told from a page. */
export const contentsMark = '<!-- pagewright: contents -->';

/** What stands before the lines. */
export const contentsHead: string = `${contentsMark}\n\n# Contents\n\n`;

/** The line of a page. */
export function contentsLine(metadata: Metadata, link: string): string {
  return `- [${oneLine(metadata.title) || oneLine(metadata.url)}](${link})\n`;
}
