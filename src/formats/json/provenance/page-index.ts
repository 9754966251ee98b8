/** Everything that is looked up in one page's markdown, each part made on first use. */
import type { Budget, Place } from './candidates.ts';
import { DateIndex } from './date-index.ts';
import { foldMarkdown } from './fold-markdown.ts';
import type { FoldedText } from './folded-text.ts';
import { NumberIndex } from './number-index.ts';
import type { QuotedPage } from './provenance.ts';
import { TextIndex } from './text-index.ts';
import { UrlIndex } from './url-index.ts';

/** More than this is not read: what is not found in it may stand in the rest. */
const maxCharacters = 4_000_000;

/** Words looked up and places compared, for all leaves of a page. */
const maxSteps = 5_000_000;

/** Where the page says yes and where no. */
export interface Answers {
  readonly yes: readonly Place[];
  readonly no: readonly Place[];
}

/** One for a page. */
export class PageIndex {
  readonly markdown: string;
  readonly language: string | undefined;
  /** False when a part of the markdown was left out. */
  readonly isWhole: boolean;
  readonly budget: Budget = { steps: maxSteps };
  readonly texts: TextIndex;
  readonly urls: UrlIndex;
  /** What was said of properties that are true or false, by their names. */
  readonly answers: Map<string, Answers> = new Map();
  readonly #folded: FoldedText;
  #numbers: NumberIndex | undefined;
  #dates: DateIndex | undefined;

  constructor({ markdown, language, url }: QuotedPage) {
    this.markdown = markdown.slice(0, maxCharacters);
    this.isWhole = markdown.length <= maxCharacters;
    this.language = language === '' ? undefined : language;
    const { folded, targets } = foldMarkdown(this.markdown);
    this.#folded = folded;
    this.texts = new TextIndex(folded, this.budget);
    this.urls = new UrlIndex(this.markdown, targets, url);
  }

  get numbers(): NumberIndex {
    const { markdown, language } = this;
    return (this.#numbers ??= new NumberIndex({ markdown, language, folded: this.#folded }));
  }

  get dates(): DateIndex {
    const { markdown, language } = this;
    return (this.#dates ??= new DateIndex({ markdown, language, folded: this.#folded }));
  }
}
