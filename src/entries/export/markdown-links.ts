/** Links in exported markdown: their text on one line, and targets that are files of the same folder. */
import { posix } from 'node:path';
import { readMarkdownBlocks } from '../../content/text/markdown-blocks.ts';
import { canParseUrl, normalizeUrl } from '../../core/url/normalize-url.ts';

/** The part that URLs of the same page share. */
export function pageKey(url: string): string {
  return canParseUrl(url) ? normalizeUrl(new URL(url), {}) : url;
}

/** The relative link from one file to another. */
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
  return text.replace(linkTargets, (whole, ...groups) => {
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

/** Code comes first, so that a link in it does not match. No part of the pattern backtracks into another. */
const linkTargets = new RegExp(
  [
    String.raw`\x60+[^\x60\n]*\x60+`,
    String.raw`(?<open>\]\(|^ {0,3}\[[^\[\]\n]{1,999}\]: )(?:<(?<angled>https?:[^<>\n]*)>|(?<plain>https?:[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*){0,9}))`,
  ].join('|'),
  'gm',
);

// Text of a page on one line of markdown.

/** White space becomes one blank; cut after 300 characters; characters that begin or end a link are escaped. */
export function markdownLine(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, 1000) : '';
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  const short = line.length > 300 ? `${line.slice(0, 299).replace(/[\ud800-\udbff]$/, '')}…` : line;
  // A backslash before `<` would belong to a bare link before it.
  // marked drops backslashes before brackets in link text: the parenthesis has one too.
  return short.replace(/[\\[\]>`]|(?<=\])\(/g, '\\$&').replaceAll('<', '&lt;');
}
