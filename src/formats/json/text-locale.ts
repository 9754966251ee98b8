/** The language of a text, with what reading its dates needs. */
import type { Page } from '../../model/page.ts';
import { dateReader, type ParsedDate } from './coerce-date.ts';

/** One for a page and one for texts made for machines: preparing month names takes milliseconds. */
export interface TextLocale {
  /** A language tag; undefined when the page does not say. */
  readonly language: string | undefined;
  readonly readDate: (text: string) => ParsedDate | undefined;
}

/** What the page's root says; undefined when it does not. */
export function languageOf(page: Page): string | undefined {
  if (page.kind !== 'html') return undefined;
  const language = page.document.documentElement.getAttribute('lang')?.trim();
  return language === '' || language === undefined ? undefined : language;
}

/** Prepares reading texts of a language. */
export function textLocale(language: string | undefined): TextLocale {
  return { language, readDate: dateReader(language) };
}
