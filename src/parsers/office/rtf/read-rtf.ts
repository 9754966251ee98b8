/** Rich text files (.rtf). */
import type { FileContent, ReadFile } from '../../file-parser.ts';
import { filled } from '../open-xml/open-package.ts';
import { HtmlBudget } from '../writing/html-budget.ts';
import { RtfReader } from './rtf-reader.ts';
import { readRtfTokens } from './rtf-tokens.ts';

/** Headers, footers, comments and what is hidden or deleted are left out. */
export const readRtf: ReadFile = ({ body }, { limits }): Promise<FileContent> => {
  const reader = new RtfReader(new HtmlBudget(limits.text));
  readRtfTokens(Buffer.from(body.buffer, body.byteOffset, body.length), reader);
  const html = reader.finish();
  const fact = (name: string): string | undefined => filled(reader.facts.get(name) ?? '');
  return Promise.resolve({
    html,
    title: fact('title'),
    author: fact('author'),
    description: fact('doccomm') ?? fact('subject'),
    keywords: fact('keywords'),
    publishedTime: timeOf(fact('creatim')),
    modifiedTime: timeOf(fact('revtim')),
  });
};

/** Year, month, day, hour, minute; the time zone is nobody's. */
function timeOf(numbers: string | undefined): string | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = (numbers ?? '')
    .split(' ')
    .map(Number);
  if (year < 1900 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31)
    return undefined;
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:00`;
}
