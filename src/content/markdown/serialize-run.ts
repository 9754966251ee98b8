/** Serializes the tokens of a block to one string of markdown. */
import { oneLine, withoutInvisible } from '../text/plain-text.ts';
import { BareLinks, type EscapeContext, escapePieces } from './escape.ts';
import { settleEmphasis, type TextPiece } from './emphasis.ts';
import type { InlineToken } from './inline-run.ts';
import type { References } from './references.ts';

/** Where the string is in the document. */
export interface RunContext extends EscapeContext {
  /** The written form of a line break. */
  readonly lineBreak: string;
  /** Writes the targets of links. */
  readonly references: References;
}

/** Escapes only where it is necessary; the result has no surrounding white space. */
export function serializeRun(tokens: readonly InlineToken[], context: RunContext): string {
  const pieces: TextPiece[] = [];
  const idle = findIdleMarks(tokens);
  let emphasis = false;
  const open: number[] = [];
  let pairs = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as InlineToken;
    if (!isMark(token)) {
      addContent(pieces, token, context);
      continue;
    }
    if (idle?.has(index) === true) continue;
    const { mark } = token;
    const opens = token.type === 'open';
    if (mark.kind === 'link') {
      const text = opens
        ? '['
        : context.references.linkEnd(linkTarget(mark.url, titleFor(tokens, index, mark.title)));
      pieces.push({ text, role: opens ? 'linkOpen' : 'linkClose', pair: 0 });
    } else if (mark.kind === 'sub' || mark.kind === 'sup') {
      pieces.push({ text: `<${opens ? '' : '/'}${mark.kind}>`, role: 'literal', pair: 0 });
    } else {
      if (opens) open.push(++pairs);
      const pair = opens ? pairs : (open.pop() ?? 0);
      pieces.push({ text: delimiters[mark.kind], role: token.type, pair });
      emphasis = true;
    }
  }
  separateFromLinks(pieces);
  if (emphasis) settleEmphasis(pieces);
  escapePieces(pieces, context);
  let text = '';
  for (const piece of pieces) text += piece.text;
  return text.trim();
}

const delimiters = { strong: '**', emphasis: '*', strike: '~~' } as const;

/** Emphasis tokens around nothing but pictures. */
function findIdleMarks(tokens: readonly InlineToken[]): ReadonlySet<number> | undefined {
  if (!tokens.some(isImage)) return undefined;
  const idle = new Set<number>();
  const open: { readonly index: number; readonly isLink: boolean; inked: boolean }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (!isMark(token)) {
      const around = open.at(-1);
      if (around !== undefined && token.type !== 'break' && !isImage(token)) {
        around.inked ||= /\S/.test(token.text);
      }
    } else if (token.type === 'open') {
      open.push({ index, isLink: token.mark.kind === 'link', inked: false });
    } else {
      const ended = open.pop();
      if (ended === undefined) continue;
      if (!ended.inked && !ended.isLink) idle.add(ended.index).add(index);
      const parent = open.at(-1);
      if (parent !== undefined && ended.inked) parent.inked = true;
    }
  }
  return idle;
}

function isImage(token: InlineToken): boolean {
  return token.type === 'raw' && token.text.startsWith('![');
}

type MarkToken = Extract<InlineToken, { readonly mark: unknown }>;

function isMark(token: InlineToken): token is MarkToken {
  return token.type === 'open' || token.type === 'close';
}

function addContent(
  pieces: TextPiece[],
  token: Exclude<InlineToken, MarkToken>,
  context: RunContext,
): void {
  if (token.type === 'text' || token.type === 'alt') {
    const last = pieces.at(-1);
    if (last?.role === 'text') last.text += token.text;
    else {
      // Wide spaces that indent a line would count as content.
      const text =
        last === undefined || last.role === 'break' ? token.text.trimStart() : token.text;
      if (text !== '') pieces.push({ text, role: 'text', pair: 0 });
    }
  } else if (token.type === 'break') {
    const last = pieces.at(-1);
    if (last?.role === 'text') last.text = last.text.trimEnd();
    pieces.push({ text: context.lineBreak, role: 'break', pair: 0 });
  } else if (token.type === 'code' && holdsLink(token.text)) {
    pieces.push(
      { text: '<code>', role: 'literal', pair: 0 },
      { text: token.text, role: 'text', pair: 0 },
      { text: '</code>', role: 'literal', pair: 0 },
    );
  } else {
    const text = token.type === 'code' ? codeSpan(token.text) : token.text;
    pieces.push({ text, role: 'literal', pair: 0 });
  }
}

/** True for code that marked reads as the end of a link after a bracket. */
function holdsLink(code: string): boolean {
  return code.includes('`') && code.includes('](');
}

/** A code span whose delimiters are longer than any run of backticks inside. */
function codeSpan(text: string): string {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return fence + padding + text + padding + fence;
}

/** Puts a space between a bare link and adjacent code or an image, which would become part of the link. */
function separateFromLinks(pieces: TextPiece[]): void {
  const isCode = pieces.some(isOpenCode);
  if (!isCode && !pieces.some(isImagePiece)) return;
  const links = isCode ? new BareLinks(pieces) : undefined;
  const reached = pieces.map((piece, at) =>
    isOpenCode(piece) ? links?.reach(at, 0) : isImagePiece(piece) && endsInLink(pieces[at - 1]),
  );
  for (let at = pieces.length - 1; at > 0; at--) {
    if (reached[at] === true) pieces.splice(at, 0, { text: ' ', role: 'literal', pair: 0 });
  }
}

/** True for a code span with spaces, backticks, brackets or `<`: without its backticks these may be markup. */
function isOpenCode({ text, role }: TextPiece): boolean {
  return role === 'literal' && text.startsWith('`') && /[\s<[\]]|[^`]`+[^`]/.test(text);
}

function isImagePiece({ text, role }: TextPiece): boolean {
  return role === 'literal' && text.startsWith('![');
}

/** True for text whose last word may be a bare link. */
function endsInLink(piece: TextPiece | undefined): boolean {
  if (piece?.role !== 'text') return false;
  const { text } = piece;
  return /:\/\/|www\.|@/i.test(
    text.slice(Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1),
  );
}

/** Drops a title that only repeats the text of the link. */
function titleFor(tokens: readonly InlineToken[], close: number, title: string): string {
  if (title === '') return '';
  let text = '';
  for (let at = close - 1; at >= 0; at--) {
    const token = tokens[at];
    if (token === undefined || (token.type === 'open' && token.mark.kind === 'link')) break;
    if (token.type !== 'raw' && 'text' in token) text = token.text + text;
  }
  return text.trim() === title ? '' : title;
}

// The part between the parentheses of a link or an image: destination and title.

/** CommonMark, section 6.3: uses angle brackets where the plain form would end too early. */
export function linkTarget(url: string, title: string): string {
  const words = oneLine(withoutInvisible(title));
  const quoted =
    words === ''
      ? ''
      : ` "${words.replace(/["\\]/g, '\\$&').replace(entityStart, '&amp;$1').replace(/</g, '&lt;')}"`;
  return linkDestination(url) + quoted;
}

function linkDestination(url: string): string {
  if (plainDestination.test(url) || url === '<Base64-Image-Removed>') return url;
  const clean = url
    .replace(/\\/g, '%5C')
    .replace(/`/g, '%60')
    .replace(/\](?=\()/g, '%5D')
    .replace(entityStart, '&amp;$1');
  if (clean !== '' && !/[\s<>\u0000-\u001f]/.test(clean) && hasBalancedParentheses(clean)) {
    return clean;
  }
  return `<${clean.replace(/\s+/g, ' ').replace(/</g, '%3C').replace(/>/g, '%3E')}>`;
}

/** Most URLs have none of the characters that need a closer check. */
const plainDestination = /^[^\\`\]&\s<>()\u0000-\u001f]+$/;

/** References are also resolved in destinations: `?a&copy;` would lose its name. */
const entityStart = /&(#[xX][0-9a-fA-F]{1,6};|#\d{1,7};|[a-zA-Z][a-zA-Z0-9]{1,31};)/g;

function hasBalancedParentheses(url: string): boolean {
  if (!/[()]/.test(url)) return true;
  let open = 0;
  for (const character of url) {
    if (character === '(') open++;
    // Parsers may stop at 32 levels, which no real URL has.
    if (open > 8 || (character === ')' && --open < 0)) return false;
  }
  return open === 0;
}
