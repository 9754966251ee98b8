/** Server-sent events (WHATWG HTML, 9.2): the data of each, as bytes come. */

/** Characters of one event at most. */
const longestEvent = 4_000_000;

/** Takes bytes; `onEvent` gets the data of each event. Throws for an event without an end. */
export class ServerEvents {
  readonly #decoder = new TextDecoder();
  readonly #onEvent: (data: string) => void;
  #line = '';
  #data: string[] = [];
  #length = 0;

  constructor(onEvent: (data: string) => void) {
    this.#onEvent = onEvent;
  }

  write(chunk: Uint8Array): void {
    this.#text(this.#decoder.decode(chunk, { stream: true }));
  }

  /** An event without the empty line after it is given all the same: some servers forget it. */
  end(): void {
    this.#text(`${this.#decoder.decode()}\n\n`);
  }

  #text(text: string): void {
    const lines = text.split('\n');
    lines[0] = this.#line + (lines[0] ?? '');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#take(line.endsWith('\r') ? line.slice(0, -1) : line);
    this.#check(this.#line.length);
  }

  #take(line: string): void {
    if (line === '') {
      if (this.#data.length > 0) this.#onEvent(this.#data.join('\n'));
      this.#data = [];
      this.#length = 0;
    } else if (line.startsWith('data:')) {
      const data = line.slice(line.charAt(5) === ' ' ? 6 : 5);
      this.#check(data.length);
      this.#data.push(data);
      this.#length += data.length;
    }
  }

  #check(more: number): void {
    if (this.#length + more <= longestEvent) return;
    throw new RangeError(`an event is longer than ${longestEvent} characters`);
  }
}
