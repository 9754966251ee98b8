/** Pages as JSON, one a line. */
import { openOutput } from './output.ts';
import type { PageSink } from './page-sink.ts';

/** Opens a file, or stdout for `-`. */
export async function jsonLines(path: string): Promise<PageSink> {
  const output = await openOutput(path);
  return {
    name: path === '-' ? 'stdout' : path,
    write: (page) => output.write(`${JSON.stringify(page)}\n`),
    close: () => output.close(),
  };
}
