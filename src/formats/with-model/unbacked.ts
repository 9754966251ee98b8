/** What a model says that its source does not: numbers and addresses, which it may not make up. */
import { markdownWords } from '../../text/markdown-words.ts';
import { numberWords } from '../json/provenance/number-words.ts';
import { comparable, formsOf, readAddresses } from './written-addresses.ts';
import { plainText, type WrittenNumber, writtenNumbers } from './written-numbers.ts';

/** A source, read once. */
export class Source {
  readonly #language: string | undefined;
  readonly #addresses: ReadonlySet<string>;
  readonly #numbers: ReadonlySet<string>;
  readonly #words: ReadonlySet<string>;

  /** `markdown`: its targets of links are addresses, but have no numbers. `language`: its language tag. */
  constructor(markdown: string, language: string | undefined) {
    this.#language = language;
    // Line by line, so that no number goes from one to the next.
    const seen = plainText(markdown.split('\n').map(markdownWords).join('\n'));
    const { addresses, rest } = readAddresses(seen);
    const unescaped = markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');
    const targets = readAddresses(plainText(unescaped)).addresses;
    this.#addresses = new Set([addresses, targets].flat().flatMap(formsOf));
    this.#numbers = new Set(
      writtenNumbers(rest).flatMap(({ meanings, parts }) => [...meanings, ...parts]),
    );
    this.#words = new Set(
      markdown
        .normalize('NFKD')
        .toLowerCase()
        .match(/\p{L}[\p{L}\p{M}]*/gu) ?? [],
    );
  }

  /**
   * Numbers and addresses of `said` that the source does not have, each once. A number has to stand there
   * as one: `1,299.00` is the same as `1.299`, `2` the same as `two`, digits of any script are alike, and a
   * date may be written otherwise. An address is one with `//`, `www.` or `@`.
   */
  unbacked(said: string): string[] {
    const { addresses, rest } = readAddresses(plainText(said));
    const missing = addresses.filter((address) => !this.#addresses.has(comparable(address)));
    const numbers = writtenNumbers(rest).filter((number) => !this.#backs(number));
    return [...new Set([...missing, ...numbers.map(({ written }) => written)])];
  }

  #backs({ written, meanings, parts }: WrittenNumber): boolean {
    if (meanings.some((meaning) => this.#has(meaning))) return true;
    if (parts.length > 0) return parts.every((part) => this.#has(part));
    const apart = written.split(' ');
    return apart.length > 1 && apart.flatMap(writtenNumbers).every((number) => this.#backs(number));
  }

  #has(number: string): boolean {
    if (this.#numbers.has(number)) return true;
    return numberWords(Number(number), this.#language).some((word) => this.#words.has(word));
  }
}
