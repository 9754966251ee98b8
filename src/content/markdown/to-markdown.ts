/** Converts a tree to markdown by the rules of its elements. */
import { Emitter, type MarkdownRule, type MarkdownRules, type WrittenPage } from './emitter.ts';
import type { MarkdownOptions } from './markdown-options.ts';
import { rulesOfHandlers } from './own-elements.ts';
import { definitionsFor, type WrittenMarkdown } from './references.ts';
import {
  blockquote,
  codeBlock,
  div,
  dropped,
  heading,
  summary,
  thematicBreak,
} from './rules/blocks.ts';
import {
  emphasis,
  inlineCode,
  input,
  lineBreak,
  link,
  quotation,
  rubyText,
  span,
  strike,
  strong,
  subscript,
  superscript,
} from './rules/inline.ts';
import { definition, list, listItem, term } from './rules/lists.ts';
import { drawingText, image, media } from './rules/media.ts';
import { math, text } from './rules/text.ts';
import { table } from './rules/table.ts';

/**
 * Converts a page to GitHub-flavoured markdown, without a newline at the end.
 *
 * URLs become absolute against `baseUrl`. Text is escaped only where CommonMark would read it as
 * markup. The same tree gives the same bytes; the tree is not changed.
 *
 * @example
 * toMarkdown(page); // '# Title\n\nText'
 */
export function toMarkdown(page: WrittenPage, options?: MarkdownOptions): string {
  const { markdown, definitions } = writeMarkdown(page, options);
  return markdown + definitionsFor(markdown, definitions);
}

/** As `toMarkdown`, with the definitions of links apart. */
export function writeMarkdown(page: WrittenPage, options: MarkdownOptions = {}): WrittenMarkdown {
  const { handlers } = options;
  const own = handlers && { text, elements: rulesOfHandlers(handlers, elements, page.url) };
  const emitter = new Emitter(page, own ?? rules, options);
  emitter.visit(page.root);
  return emitter.finish();
}

// Rules by tag name. Of other elements, the content is written, blocks as paragraphs.

const elements: Readonly<Record<string, MarkdownRule>> = {
  a: link,
  area: dropped,
  audio: media,
  b: strong,
  blockquote,
  br: lineBreak,
  button: dropped,
  canvas: dropped,
  code: inlineCode,
  datalist: dropped,
  dd: definition,
  del: strike,
  dir: list,
  div,
  dt: term,
  em: emphasis,
  embed: media,
  h1: heading,
  h2: heading,
  h3: heading,
  h4: heading,
  h5: heading,
  h6: heading,
  head: dropped,
  hr: thematicBreak,
  i: emphasis,
  iframe: media,
  img: image,
  input,
  kbd: inlineCode,
  li: listItem,
  listing: codeBlock,
  math,
  menu: list,
  meter: dropped,
  noframes: dropped,
  noscript: dropped,
  object: media,
  ol: list,
  pre: codeBlock,
  progress: dropped,
  q: quotation,
  rp: dropped,
  rt: rubyText,
  s: strike,
  samp: inlineCode,
  script: dropped,
  select: dropped,
  span,
  strike,
  strong,
  style: dropped,
  sub: subscript,
  summary,
  sup: superscript,
  svg: drawingText,
  table,
  template: dropped,
  textarea: dropped,
  title: dropped,
  tt: inlineCode,
  ul: list,
  video: media,
  xmp: codeBlock,
};

const rules: MarkdownRules = { text, elements };
