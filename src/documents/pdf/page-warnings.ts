/** Collects warnings about unread pages of a PDF, as sentences with page numbers. */

/** The warnings about the pages of a file. */
export class PageWarnings {
  readonly #empty = new Map<keyof typeof pictures, number[]>();
  readonly #uncertain: number[] = [];
  readonly #leftOut: string[] = [];
  readonly #others: string[] = [];

  add(warning: string): void {
    this.#others.push(warning);
  }

  /** A page without text; `why` states why its picture, if any, was not read. */
  empty(page: number, why: keyof typeof pictures): void {
    this.#empty.set(why, [...(this.#empty.get(why) ?? []), page]);
  }

  /** A page whose picture was read with low confidence. */
  uncertain(page: number): void {
    this.#uncertain.push(page);
  }

  /** A page to be read by its picture, which has its own text. */
  notRecognized(page: number, reason: string): void {
    if (this.#leftOut.length < maxNamed)
      this.#leftOut.push(`Page ${page} was read by its text: ${reason}.`);
  }

  leftOut(page: number, reason: string): void {
    if (this.#leftOut.length < maxNamed)
      this.#leftOut.push(`Page ${page} was left out: ${reason}.`);
  }

  /** `names` are the names of character maps. */
  missingMaps(names: ReadonlySet<string>): void {
    if (names.size === 0) return;
    const listed = [...names].slice(0, 5).join(', ');
    this.add(
      `Text in fonts that are not in the file was left out: reading it needs tables of characters (${listed}), which npm install pdfjs-dist adds.`,
    );
  }

  list(): string[] {
    const empty = [...this.#empty].map(([why, pages]) => {
      const isOne = pages.length === 1;
      return `${named(pages)} ${isOne ? 'has' : 'have'} no text: ${isOne ? 'it is' : 'they are'} empty, or ${pictures[why]}.`;
    });
    const uncertain = this.#uncertain;
    const isOne = uncertain.length === 1;
    return [
      ...this.#others,
      ...this.#leftOut,
      ...empty,
      ...(uncertain.length === 0
        ? []
        : [
            `${named(uncertain)} ${isOne ? 'was' : 'were'} read by OCR with little confidence: ${isOne ? 'its' : 'their'} text may be wrong.`,
          ]),
    ];
  }
}

const pictures = {
  'no-engine': 'a picture such as a scan, which is read with createClient({ ocr })',
  'not-wanted': "a picture such as a scan, which mode: 'fast' does not read",
  'no-picture': 'drawn in strokes that are not letters, without a picture that has text',
};

function named(pages: readonly number[]): string {
  return `${pages.length === 1 ? 'Page' : 'Pages'} ${ranges(pages)}`;
}

const maxNamed = 20; // pages whose reasons are reported one by one

/** `1, 3–7, 9` */
function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < numbers.length;) {
    let end = at;
    while (numbers[end + 1] === (numbers[end] ?? 0) + 1) end += 1;
    parts.push(end > at ? `${numbers[at]}–${numbers[end]}` : `${numbers[at]}`);
    at = end + 1;
  }
  return parts.join(', ');
}
