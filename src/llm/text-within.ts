/** The value of the one property of an object, taken out of its JSON while it comes. */

/** Listens to an answer as it comes. */
export interface AnswerListener {
  write(text: string): void;
  /** `isCut`: the answer stopped before its end. */
  end(isCut: boolean): void;
}

/** Characters of white space and key before the value begins, at most. */
const longestStart = 200;

/**
 * Hands on what is inside of `{"name": …}`; a text that does not begin like this is handed on as it is.
 * The end of the object is held back until it is known to be no more than that.
 */
export function textWithin(name: string, onText: (text: string) => void): AnswerListener {
  const start = new RegExp(`^\\s{0,50}\\{\\s{0,50}"${name}"\\s{0,50}:\\s{0,50}`);
  let head = '';
  let tail = '';
  let state: 'start' | 'inside' | 'as it is' = 'start';
  const handOn = (text: string): void => {
    const end = state === 'inside' ? endOfContent(text) : text.length;
    if (end > 0) onText(tail + text.slice(0, end));
    tail = end > 0 ? text.slice(end) : tail + text;
  };
  return {
    write(text) {
      if (state !== 'start') return handOn(text);
      head += text;
      const found = start.exec(head);
      // White space before the value may go on.
      if (found !== null && found[0].length < head.length) {
        state = 'inside';
        handOn(head.slice(found[0].length));
      } else if (head.length > longestStart) {
        state = 'as it is';
        handOn(head);
      }
    },
    end(isCut) {
      if (state === 'start' && !start.test(head)) tail = head;
      const rest =
        state === 'inside' && !isCut ? tail.trimEnd().replace(/\}$/, '').trimEnd() : tail;
      if (rest !== '') onText(rest);
    },
  };
}

/** Where white space and braces begin that nothing follows. */
function endOfContent(text: string): number {
  let end = text.length;
  while (end > 0 && /[\s}]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}
