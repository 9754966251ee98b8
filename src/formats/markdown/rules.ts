/** The rules by tag name. Elements that are not listed give their content, blocks as paragraphs. */
import type { Rule, Rules } from './emitter.ts';
import { blockquote } from './rules/blockquote.ts';
import { codeBlock } from './rules/code-block.ts';
import { input } from './rules/controls.ts';
import { definition, term } from './rules/definition-list.ts';
import { summary } from './rules/details.ts';
import { div } from './rules/div.ts';
import { drawing } from './rules/drawing.ts';
import { dropped } from './rules/dropped.ts';
import { emphasis, strike, strong } from './rules/emphasis.ts';
import { heading } from './rules/heading.ts';
import { image } from './rules/image.ts';
import { inlineCode } from './rules/inline-code.ts';
import { lineBreak } from './rules/line-break.ts';
import { link } from './rules/link.ts';
import { list, listItem } from './rules/list.ts';
import { math } from './rules/math.ts';
import { media } from './rules/media.ts';
import { quotation } from './rules/quotation.ts';
import { subscript, superscript } from './rules/raised.ts';
import { reading } from './rules/ruby.ts';
import { span } from './rules/span.ts';
import { table } from './rules/table.ts';
import { text } from './rules/text.ts';
import { thematicBreak } from './rules/thematic-break.ts';

const elements: Readonly<Record<string, Rule>> = {
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
  rt: reading,
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
  svg: drawing,
  table,
  template: dropped,
  textarea: dropped,
  title: dropped,
  tt: inlineCode,
  ul: list,
  video: media,
  xmp: codeBlock,
};

/** How every node is written. */
export const rules: Rules = { text, elements };
