/** The messages between the caller's thread and a worker, all cloneable: tasks, results, pictures for OCR. */
import type { MessagePort } from 'node:worker_threads';
import type { ComputationName } from '../../content/formats/computations.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { PagePicture, PictureRecognizer, Recognition } from '../model/ocr-engine.ts';
import type { ProcessingPlan } from './process-page.ts';
import { deserializeError, type SerializedError, serializeError } from './serialized-error.ts';

/** A format or parser that the worker has or loads. */
export interface SentCode {
  readonly name: string;
  /** The URL of the module that exports it. */
  readonly module: string;
}

/** One page to read; formats and parsers are sent by name and module. */
export interface ProcessingTask {
  /** The body is a copy, which is transferred. */
  readonly snapshot: Snapshot & { readonly body: Uint8Array<ArrayBuffer> };
  readonly plan: Omit<ProcessingPlan, 'formats' | 'workerParsers' | 'deadline' | 'pictures'> & {
    readonly formats: readonly (SentCode & { readonly options: unknown })[];
  };
  readonly parsers: readonly SentCode[];
  /** The port to the OCR engine. */
  readonly pictures: OcrPort | undefined;
}

/** Work on texts of a parsed page; see `computations`. */
export interface ComputationTask {
  readonly computation: ComputationName;
  readonly input: readonly unknown[];
}

/** A task for a worker. */
export type WorkerTask = ProcessingTask | ComputationTask;

/** The worker first sends `ready`, then one answer per task. */
export type WorkerMessage =
  'ready' | { readonly result: unknown } | { readonly error: SerializedError };

// A worker sends pictures to the caller's thread, where the OCR engine is, and gets their text back.

/** The facts of the OCR engine for a worker. */
export interface OcrPort extends Omit<PictureRecognizer, 'recognize'> {
  readonly port: MessagePort;
}

interface OcrQuestion {
  readonly id: number;
  readonly picture: PagePicture;
}

interface OcrAnswer {
  readonly id: number;
  readonly recognition: Recognition | { readonly error: SerializedError };
}

/** Runs on the caller's side; answers until the port is closed. */
export function serveOcr(port: MessagePort, pictures: PictureRecognizer): void {
  const answer = async ({ id, picture }: OcrQuestion): Promise<void> => {
    const recognition = await pictures
      .recognize(picture)
      .catch((error: unknown) => ({ error: serializeError(error) }));
    port.postMessage({ id, recognition } satisfies OcrAnswer);
  };
  port.on('message', (question: OcrQuestion) => void answer(question));
}

/** Runs on the worker's side. */
export function ocrOverPort({ port, ...engine }: OcrPort): PictureRecognizer {
  const waiting = new Map<number, (recognition: OcrAnswer['recognition']) => void>();
  let last = 0;
  port.on('message', ({ id, recognition }: OcrAnswer) => {
    waiting.get(id)?.(recognition);
    waiting.delete(id);
  });
  return {
    ...engine,
    recognize: async (picture) => {
      const id = (last += 1);
      const answered = new Promise<OcrAnswer['recognition']>((take) => waiting.set(id, take));
      port.postMessage({ id, picture } satisfies OcrQuestion, [picture.bytes.buffer]);
      const recognition = await answered;
      if ('error' in recognition) throw deserializeError(recognition.error);
      return recognition;
    },
  };
}
