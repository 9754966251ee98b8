/** What is said beside the result, on stderr. */
import { withoutControls } from './without-controls.ts';

/** Writes a line to stderr. */
export function notice(line: string): void {
  // On a terminal the progress line may stand there: it is overwritten, not appended to.
  const start = process.stderr.isTTY ? '\r\x1b[K' : '';
  process.stderr.write(`${start}${withoutControls(line)}\n`);
}
