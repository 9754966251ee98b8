/** Counts what tells sentences from labels, in one look at every character. */

/** Counts of one paragraph. */
export interface TextCounts {
  /** Characters, runs of white space as one; wide characters say twice as much. */
  length: number;
  /** The part of `length` that is inside links to other pages. */
  linked: number;
  /** Ends of sentences. */
  stops: number;
  digits: number;
  /** Signs of currencies. */
  currencies: number;
  /** The last character that is no white space. */
  last: number;
  /** White space at the end, which what follows does not count again. */
  endsInSpace: boolean;
}

/** The counts of nothing. */
export function noText(): TextCounts {
  return {
    length: 0,
    linked: 0,
    stops: 0,
    digits: 0,
    currencies: 0,
    last: 0,
    endsInSpace: true,
  };
}

/** Adds a text to the counts. */
export function countText(text: string, counts: TextCounts, linked: boolean): void {
  let length = 0;
  let inSpace = counts.endsInSpace;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code === 0xa0) {
      if (!inSpace) length++;
      inSpace = true;
      continue;
    }
    inSpace = false;
    length += code >= 0x2e80 ? 2 : 1;
    counts.last = code;
    if (code >= 0x41 && code <= 0x7a) continue;
    if (code >= 0x30 && code <= 0x39) counts.digits++;
    else if (isStop(code)) counts.stops++;
    else if (isCurrency(code)) counts.currencies++;
  }
  counts.endsInSpace = inSpace;
  counts.length += length;
  if (linked) counts.linked += length;
}

/** `.` `!` `?` and their wide forms. */
export function isStop(code: number): boolean {
  return (
    code === 0x2e ||
    code === 0x21 ||
    code === 0x3f ||
    code === 0x3002 ||
    code === 0xff01 ||
    code === 0xff1f
  );
}

function isCurrency(code: number): boolean {
  return code === 0x24 || (code >= 0xa2 && code <= 0xa5) || (code >= 0x20a0 && code <= 0x20cf);
}
