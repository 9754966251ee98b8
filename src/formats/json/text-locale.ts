/** The language of a text, with what reading its dates needs. */
import { dateReader, type ParsedDate } from './coerce-date.ts';

/** One for a page and one for texts made for machines: preparing month names takes milliseconds. */
export interface TextLocale {
  /** A language tag; undefined when the page does not say. */
  readonly language: string | undefined;
  readonly readDate: (text: string) => ParsedDate | undefined;
}

/** Prepares reading texts of a language. */
export function textLocale(language: string | undefined): TextLocale {
  return { language, readDate: dateReader(language) };
}
