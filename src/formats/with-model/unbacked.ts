/** What a model says that its source does not: numbers and addresses, which it may not make up. */
import { numberWords } from '../json/provenance/number-words.ts';

/** A source, read once. */
export class Source {
  readonly #text: string;
  readonly #language: string | undefined;
  readonly #digits: ReadonlySet<string>;
  readonly #words: ReadonlySet<string>;

  /** `language`: that of the text, as a language tag. */
  constructor(text: string, language: string | undefined) {
    this.#text = text;
    this.#language = language;
    const written = text.match(/\d+(?:[.,'’\u00a0\u202f ]\d+)*/g) ?? [];
    this.#digits = new Set(written.flatMap((number) => readings(number).flat(2)));
    this.#words = new Set(
      text
        .normalize('NFKD')
        .toLowerCase()
        .match(/\p{L}[\p{L}\p{M}]*/gu) ?? [],
    );
  }

  /**
   * Numbers and addresses of `said` that the source does not have, each once, as they are written.
   * `1,299.00` is the same number as `1.299`, `2` the same as `two`, and a date may be written otherwise.
   */
  unbacked(said: string): string[] {
    const addresses = said.match(/https?:\/\/[^\s<>()[\]"'`]*[^\s<>()[\]"'`.,;:!?]/gi) ?? [];
    const missing = addresses.filter((address) => !this.#text.includes(address));
    const rest = said.replace(/https?:\/\/\S+/gi, ' ');
    for (const number of rest.match(/\d+(?:[.,'’]\d+)*/g) ?? []) {
      if (
        !readings(number).some((runs) => runs.every((run) => run.some((one) => this.#has(one))))
      ) {
        missing.push(number);
      }
    }
    return [...new Set(missing)];
  }

  #has(run: string): boolean {
    if (this.#digits.has(run)) return true;
    return numberWords(Number(run), this.#language).some((word) => this.#words.has(word));
  }
}

const groupMarks = /(?<=\d)[.,'’\u00a0\u202f ](?=\d{3}(?!\d))/g;

/** A run of digits, in the ways in which it may be written. */
type Run = readonly string[];

/** The runs of digits of a number as it is written, and with its groups joined. */
function readings(number: string): Run[][] {
  return [runsOf(number), runsOf(number.replace(groupMarks, ''))];
}

/** Zeros before a number and after a fraction count for nothing. */
function runsOf(number: string): Run[] {
  const [whole = '', ...rest] = number.match(/\d+/g) ?? [];
  const inner = rest.filter((run) => /[1-9]/.test(run));
  return [
    [whole.replace(/^0+(?=\d)/, '')],
    ...inner.map((run) => [run.replace(/^0+/, ''), run.replace(/0+$/, '')]),
  ];
}
