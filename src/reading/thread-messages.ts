/** What goes to a reading thread and what comes back: everything can be cloned. */
import type { ComputationName } from '../formats/computations.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ReadingPlan } from './read-page.ts';
import type { SentPictureReading } from './picture-port.ts';
import type { SentError } from './sent-error.ts';

/** One page to read; formats go by name. */
export interface ReadingTask {
  /** The body is a copy, which is handed over. */
  readonly snapshot: Snapshot & { readonly body: Uint8Array<ArrayBuffer> };
  readonly plan: Omit<ReadingPlan, 'formats' | 'beforeFormats' | 'pictures'> & {
    readonly formats: readonly { readonly name: string; readonly options: unknown }[];
  };
  /** Where pictures are read. */
  readonly pictures: SentPictureReading | undefined;
}

/** Work on texts of a page that was read; see `computations`. */
export interface ComputationTask {
  readonly computation: ComputationName;
  readonly input: unknown;
}

/** What a thread may be asked. */
export type ThreadTask = ReadingTask | ComputationTask;

/** The thread says first that it is there, then one answer a task. */
export type ThreadMessage = 'ready' | { readonly result: unknown } | { readonly error: SentError };
