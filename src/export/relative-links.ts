/** Links of a markdown text that lead to pages of the same folder. */
import { posix } from 'node:path';
import { readMarkdownBlocks } from '../text/markdown-blocks.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/** What two URLs of one page have in common. */
export function pageKey(url: string): string {
  return canParseUrl(url) ? normalizeUrl(new URL(url), {}) : url;
}

/** From one file to another, as it stands in a link. */
export function linkBetween(from: string, to: string): string {
  const names = posix.relative(posix.dirname(from), to).split('/');
  const escaped = names.map((name) =>
    encodeURIComponent(name).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29')),
  );
  return escaped.join('/');
}

/** Replaces the targets of links for which `fileOf` knows the file; code stays as it is. */
export function relateLinks(
  markdown: string,
  from: string,
  fileOf: (key: string) => string | undefined,
): string {
  const blocks = readMarkdownBlocks(markdown);
  return blocks
    .map(({ kind, start }, index) => {
      const text = markdown.slice(index === 0 ? 0 : start, blocks[index + 1]?.start);
      return kind === 'code' ? text : relateText(text, from, fileOf);
    })
    .join('');
}

function relateText(
  text: string,
  from: string,
  fileOf: (key: string) => string | undefined,
): string {
  return text.replace(linkTarget, (whole, ...groups) => {
    const { open, angled, plain } = groups.at(-1) as Readonly<Record<string, string | undefined>>;
    const target = angled ?? plain;
    if (open === undefined || target === undefined) return whole;
    const url = target.replaceAll('&amp;', '&');
    const file = fileOf(pageKey(url));
    if (file === undefined) return whole;
    const fragment = url.includes('#') && !pageKey(url).includes('#') ? new URL(url).hash : '';
    return open + linkBetween(from, file) + fragment;
  });
}

/** Code comes first, so that a link in it is none. No part can give back what another took. */
const linkTarget = new RegExp(
  [
    String.raw`\x60+[^\x60\n]*\x60+`,
    String.raw`(?<open>\]\(|^ {0,3}\[[^\[\]\n]{1,999}\]: )(?:<(?<angled>https?:[^<>\n]*)>|(?<plain>https?:[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*){0,9}))`,
  ].join('|'),
  'gm',
);
