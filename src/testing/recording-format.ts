/** How a recording stands in its file. */
import type { Capability } from '../model/request.ts';
import { DamagedFile } from '../warc/damaged-file.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

/** The version that is written, and the only one that is read. */
export const recordingVersion = 1;

/** Throws for a version that this release cannot read. */
export function checkVersion(version: unknown): void {
  if (version === recordingVersion) return;
  const known = `this release reads version ${recordingVersion}`;
  throw new DamagedFile(`has version ${String(version).slice(0, 20)}, and ${known}`);
}

/** An engine of the run; the choice among engines has to be the same when it is replayed. */
export interface RecordedEngine {
  readonly name: string;
  readonly can: readonly Capability[];
  readonly cost: number;
  /** True for an engine that serves certain URLs only. */
  readonly isForSome: boolean;
}

/** One way to write a recording: each part is complete bytes, to be appended. */
export interface RecordingFormat {
  start(): Promise<Uint8Array>;
  engine(engine: RecordedEngine): Promise<Uint8Array>;
  exchange(exchange: RecordedExchange): Promise<Uint8Array>;
}

/** A line of JSON each. */
export const jsonLinesFormat: RecordingFormat = {
  start: () => line({ pagewright: 'recording', version: recordingVersion }),
  engine: (engine) => line({ engine }),
  exchange: (exchange) => line(exchange),
};

function line(value: unknown): Promise<Uint8Array> {
  return Promise.resolve(Buffer.from(`${JSON.stringify(value)}\n`));
}
