/** Lines at the bottom of a terminal that are rewritten in place, below everything else that is written. */
import stringWidth from 'string-width';

/** The stream of the log; `process.stderr` fits. */
export interface LogStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
  write(text: string): unknown;
}

const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
/** The terminal draws everything between them at once. */
const [frameStart, frameEnd] = ['\x1b[?2026h', '\x1b[?2026l'];
const eraseLine = '\x1b[K';
const eraseBelow = '\x1b[J';

/** Signals that end a process without its exit handlers. */
const deadlySignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The region of one stream. Disposing erases it, and shows the cursor again; so does the end of the process. */
export class LiveRegion implements Disposable {
  readonly #stream: LogStream;
  #lines: readonly string[] = [];

  constructor(stream: LogStream) {
    this.#stream = stream;
    stream.write(hideCursor);
    process.on('exit', this.#restore);
    for (const signal of deadlySignals) process.on(signal, this.#die);
  }

  /** Columns of the terminal; some report none. */
  get columns(): number {
    const { columns = 0 } = this.#stream;
    return columns > 0 ? columns : 80;
  }

  /** Replaces the lines. Each has to be narrower than the terminal. */
  draw(lines: readonly string[]): void {
    const body = lines.map((line) => line + eraseLine).join('\n');
    this.#stream.write(`${frameStart}${this.#toStart()}${body}${eraseBelow}${frameEnd}`);
    this.#lines = lines;
  }

  /** Erases the lines, so that something else can be written; the next `draw` puts them below it. */
  clear(): void {
    if (this.#lines.length > 0) this.#stream.write(this.#toStart() + eraseBelow);
    this.#lines = [];
  }

  [Symbol.dispose](): void {
    this.clear();
    this.#stream.write(showCursor);
    process.off('exit', this.#restore);
    for (const signal of deadlySignals) process.off(signal, this.#die);
  }

  /** To the start of the first line. A terminal that became narrower has wrapped the lines. */
  #toStart(): string {
    const { columns } = this;
    const rows = this.#lines.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)),
      0,
    );
    return rows > 1 ? `\r\x1b[${rows - 1}A` : '\r';
  }

  readonly #restore = (): void => {
    this.#stream.write(showCursor);
  };

  /** A signal that nothing else handles ends the process as it would have without this listener. */
  readonly #die = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return;
    this[Symbol.dispose]();
    process.kill(process.pid, signal);
  };
}
