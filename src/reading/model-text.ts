/** The text of a page for a language model: what its readers see of it, as markdown. */
import { cleanPage, cleanPageWith } from '../clean/index.ts';
import type { UnseenText } from '../clean/unseen/remove-unseen.ts';
import { markdown } from '../formats/markdown/index.ts';
import type { InstructionAttempt, ModelText } from '../model/model-text.ts';
import type { Page } from '../model/page.ts';
import type { CleanOptions, Limits } from '../model/request.ts';
import { findHiddenInstructions, findModelInstructions } from '../text/model-instructions.ts';
import { seenCopy } from './seen-copy.ts';

const nothingHidden: UnseenText = {
  words: '',
  code: '',
  unread: { files: false, rules: false },
};

/** Of each kind, visible and hidden. */
const mostAttempts = 5;

/** Reads it from a copy, so that the page is what it was. */
export async function readModelText(
  page: Page,
  { clean, limits }: { readonly clean: CleanOptions; readonly limits: Limits },
  signal: AbortSignal,
): Promise<ModelText> {
  let hidden: UnseenText = nothingHidden;
  let read = page;
  if (page.kind === 'html') {
    const seen = await seenCopy(page);
    const { copy } = seen;
    hidden = seen.hidden;
    const { extractor } = clean;
    if (extractor === undefined) cleanPage(copy, clean);
    else await cleanPageWith(extractor, copy, clean, { signal, limits });
    read = copy;
  }
  const text = await markdown.run(read, undefined, { signal, limits });
  return {
    markdown: withoutZeroWidth(text),
    attempts: findAttempts(page, hidden, text),
    unreadStyles: hidden.unread,
  };
}

/** What speaks to models in the text of a page, and in what its readers do not see. */
export function findAttempts(
  { source }: Page,
  { words, code }: Pick<UnseenText, 'words' | 'code'>,
  text: string,
): InstructionAttempt[] {
  const hidden = [
    ...findHiddenInstructions(`${words}${spelledInTags(source)}`, mostAttempts),
    ...findModelInstructions(code, mostAttempts),
  ].slice(0, mostAttempts);
  return [
    ...hidden.map((quote) => ({ quote, isHidden: true })),
    ...findModelInstructions(text, mostAttempts).map((quote) => ({ quote, isHidden: false })),
  ];
}

/** Joiners have a meaning between letters of some scripts and in emoji; anywhere else they carry a message. */
export function withoutZeroWidth(text: string): string {
  return text.replace(
    /[\u200b-\u200f\u2060\ufeff]{2,}|(?<=[\p{Script=Latin}\p{N}\s]|^)[\u200b-\u200f]|[\u200b-\u200f](?=[\p{Script=Latin}\p{N}\s]|$)/gu,
    '',
  );
}

/** Tag characters (U+E0020 to U+E007E) spell ASCII that no font shows. */
function spelledInTags(source: string): string {
  if (!source.includes('\udb40')) return '';
  const spelled = source.slice(0, 1_000_000).match(/[\u{e0020}-\u{e007e}]+/gu) ?? [];
  return spelled
    .join(' ')
    .replace(/[\u{e0020}-\u{e007e}]/gu, (tag) =>
      String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000),
    );
}
