/** A recording in JSON lines. */
import { messageOf } from '../errors.ts';
import type { ByteQueue } from '../warc/byte-queue.ts';
import { CutFile, DamagedFile } from '../warc/damaged-file.ts';
import { checkEngine, checkExchange } from './check-recording.ts';
import { checkVersion } from './recording-format.ts';
import type { RecordingPart } from './recording-part.ts';

/** What a string can hold. */
const longestLine = 256 * 1024 * 1024;
const lineFeed = 10;

/** The parts, line by line. */
export async function* readJsonLines(queue: ByteQueue): AsyncGenerator<RecordingPart> {
  for (let number = 1; ; number += 1) {
    const line = await queue.takeTo(lineFeed, longestLine);
    if (line === undefined) return;
    if (line.at(-1) !== lineFeed) throw new CutFile(`breaks off in the middle of line ${number}`);
    const part = partOf(line, number);
    if (part !== undefined) yield part;
  }
}

function partOf(line: Buffer, number: number): RecordingPart | undefined {
  const value = parse(line, number);
  const where = `line ${number}`;
  if (number === 1) return checkHeader(value);
  if (typeof value !== 'object' || value === null || !('engine' in value)) {
    return { exchange: checkExchange(value, where) };
  }
  return { engine: checkEngine(value.engine, where) };
}

function checkHeader(value: unknown): undefined {
  const { pagewright, version } = Object(value) as Readonly<Record<string, unknown>>;
  if (pagewright !== 'recording') {
    throw new DamagedFile('does not begin with the line of a recording');
  }
  checkVersion(version);
}

function parse(line: Buffer, number: number): unknown {
  try {
    return JSON.parse(line.toString());
  } catch (error) {
    throw new DamagedFile(`has no JSON in line ${number} (${messageOf(error).slice(0, 100)})`);
  }
}
