/** A fence around text that is not to be trusted, which that text cannot close. */
import { createHash } from 'node:crypto';

/** What is fenced: a part of a page, what a model answered about it, what is wrong with that. */
export type FenceName = 'page-text' | 'last-answer' | 'problems';

/**
 * Puts a text between two tags whose name is made of a hash of it, so that nobody can write the
 * closing one into the text, and equal texts give equal bytes. Tags in the text that look like fences
 * are made harmless.
 */
export function fence(name: FenceName, text: string): string {
  const mark = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  const harmless = text
    .replace(/<(?=[\s/]{0,9}(?:page-text|last-answer|problems))/gi, '‹')
    .replaceAll(mark, '…');
  return `<${mark}>\n${harmless}\n</${mark}>`;
}
