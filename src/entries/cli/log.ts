/** Everything that a command writes to stderr: lines of text or of JSON, and on a terminal a live view below them. */
import { styleText } from 'node:util';
import type { Logger } from '../../index.ts';
import { LiveRegion, type LogStream } from './live-region.ts';
import { warningForCommandLine } from './command-errors.ts';
import { withoutControls } from './terminal-text.ts';

/** The options for the form of the log. */
export interface LogValues {
  readonly log?: 'text' | 'json';
  /** The level of the library's lines to write, too. @default warnings */
  readonly logLevel?: 'debug' | 'info' | 'warn';
  /** The result is JSON, and so is the log. */
  readonly json?: boolean;
  /** Only warnings and errors. */
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/** Styles of Node's `styleText`. */
export type Style = 'red' | 'yellow' | 'green' | 'cyan' | 'dim' | 'bold';

/** Text in a style, or as it is where there are no colours. */
export type Painter = (style: Style, text: string) => string;

/** Work that is displayed while it runs. */
export interface LiveView {
  /** The lines for a terminal, each narrower than `columns`. */
  lines(columns: number, paint: Painter): string[];
  /** The same in one line, for files and pipes. @default they get nothing */
  line?(): string;
  /** The same as a value, for a log in JSON. */
  value?(): unknown;
}

/** A displayed view. Disposing removes it. */
export interface OpenView extends Disposable {
  /** Removes it, and writes its last line. */
  finish(): void;
}

const frameInterval = 100; // milliseconds between two frames of a view on a terminal
const lineInterval = 5000;

/** The log of one command. */
export class Log {
  /** Warnings that were logged, in the library's words. */
  readonly warnings: string[] = [];
  readonly #stream: LogStream;
  readonly #env: NodeJS.ProcessEnv;
  #isJson = false;
  #isQuiet = false;
  #level: LogValues['logLevel'];
  #hasColors: boolean;
  #region: LiveRegion | undefined;

  constructor(stream: LogStream, env: NodeJS.ProcessEnv = process.env) {
    this.#stream = stream;
    this.#env = env;
    this.#hasColors = wantsColors(stream, env);
  }

  /** Sets the form of the log. */
  configure({ log = 'text', logLevel, json = false, quiet = false, color }: LogValues): void {
    this.#level = logLevel;
    this.#isJson = json || log === 'json';
    this.#isQuiet = quiet;
    this.#hasColors = color ?? wantsColors(this.#stream, this.#env);
  }

  /** Logs an event: a line of JSON with `value` under `name`, or the lines of text. None with `--quiet`. */
  info(name: string, value: unknown, ...lines: readonly string[]): void {
    if (!this.#isQuiet) this.#writeLines(name, value, lines);
  }

  /** A warning of the library or of the command line. */
  warn(message: string): void {
    this.warnings.push(message);
    const text = warningForCommandLine(message);
    this.#writeLines('warning', text, [`warning: ${text}`]);
  }

  /** The logger of a client: warnings and, by `--log-level`, the activity of the client. */
  get logger(): Logger {
    const at =
      (level: string): NonNullable<Logger['debug']> =>
      (fields, message) =>
        this.#writeLines(level, { ...fields, message }, [`${level}: ${message}`]);
    const more = { error: at('error'), info: at('info') };
    return {
      warn: (_, message) => this.warn(message),
      ...(this.#level === 'info' ? more : {}),
      ...(this.#level === 'debug' ? { ...more, debug: at('debug') } : {}),
    };
  }

  /** Text that something else writes to its console. */
  print(text: string): void {
    this.#region?.clear();
    this.#stream.write(withoutControls(text));
  }

  /** The error that a command ends with. */
  error(facts: { readonly code: string; readonly message: string }): void {
    const { code, message } = facts;
    this.#writeLines('error', facts, [`${code}: ${message}`]);
  }

  /** Shows a view: redrawn on a terminal, and repeated at intervals elsewhere. It does not hold the process open. */
  show(view: LiveView): OpenView {
    if (this.#isQuiet) return hiddenView;
    const isLive = this.#stream.isTTY === true && this.#env['TERM'] !== 'dumb' && !this.#isJson;
    const timer = isLive
      ? setInterval(this.#drawer(view), frameInterval)
      : setInterval(() => this.#writeView(view), lineInterval);
    timer.unref();
    const end = (): void => {
      clearInterval(timer);
      this.#region?.[Symbol.dispose]();
      this.#region = undefined;
    };
    return {
      finish: () => {
        end();
        if (!this.#isJson) this.#writeView(view);
      },
      [Symbol.dispose]: end,
    };
  }

  /** Clears the view before another stream writes to the same terminal. */
  makeRoom(): void {
    this.#region?.clear();
  }

  /** Text in a style, or as it is where there are no colours. */
  readonly paint: Painter = (style, text) =>
    this.#hasColors ? styleText(style, text, { validateStream: false }) : text;

  /** The region exists from the first frame on: work that ends at once leaves no trace of it. */
  #drawer(view: LiveView): () => void {
    return () => {
      const region = (this.#region ??= new LiveRegion(this.#stream));
      region.draw(view.lines(region.columns, this.paint));
    };
  }

  #writeView(view: LiveView): void {
    if (this.#isJson) {
      if (view.value !== undefined) this.#writeLines('progress', view.value(), []);
    } else if (view.line !== undefined) this.#writeLines('progress', undefined, [view.line()]);
  }

  #writeLines(name: string, value: unknown, lines: readonly string[]): void {
    const written = this.#isJson
      ? [withoutControls(JSON.stringify({ [name]: value }))]
      : lines.map((line) => this.#paintStart(withoutControls(line)));
    if (written.length === 0) return;
    this.#region?.clear();
    this.#stream.write(written.map((line) => `${line}\n`).join(''));
  }

  /** The word that names the kind of a line, in its colour. */
  #paintStart(line: string): string {
    const start = /^(?:[a-z ]+:|[A-Z_]{3,}:|[✓✗])(?= |$)/.exec(line)?.[0] ?? '';
    const style = styleOf(start);
    return style === undefined ? line : this.paint(style, start) + line.slice(start.length);
  }
}

function styleOf(start: string): Style | undefined {
  if (start === '✓') return 'green';
  if (start === 'failed:' || start === '✗' || /^[A-Z]/.test(start)) return 'red';
  return start === 'warning:' || start === 'not found:' ? 'yellow' : undefined;
}

const hiddenView: OpenView = { finish: () => undefined, [Symbol.dispose]: () => undefined };

/** The rules of no-color.org and force-color.org; else a terminal that has colours. */
function wantsColors(stream: LogStream, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none } = env;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  if (none !== undefined && none !== '') return false;
  return stream.isTTY === true && (stream.hasColors?.() ?? true);
}
