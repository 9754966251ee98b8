/** The messages between the caller's thread and a worker: tasks, results, and pictures for the OCR engine. All of them can be cloned. */
import type { MessagePort } from 'node:worker_threads';
import type { ComputationName } from '../formats/computations.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type {
  PagePicture,
  PictureRecognizer,
  Recognition,
} from '../parsers/documents/ocr/ocr-engine.ts';
import type { ProcessingPlan } from './process-page.ts';
import { deserializeError, type SerializedError, serializeError } from './serialized-error.ts';

/** One page to read; formats go by name. */
export interface ProcessingTask {
  /** The body is a copy, which is handed over. */
  readonly snapshot: Snapshot & { readonly body: Uint8Array<ArrayBuffer> };
  readonly plan: Omit<ProcessingPlan, 'formats' | 'beforeFormats' | 'pictures'> & {
    readonly formats: readonly { readonly name: string; readonly options: unknown }[];
  };
  /** Where pictures are read. */
  readonly pictures: OcrPort | undefined;
}

/** Work on texts of a page that was read; see `computations`. */
export interface ComputationTask {
  readonly computation: ComputationName;
  readonly input: unknown;
}

/** What a worker may be asked. */
export type WorkerTask = ProcessingTask | ComputationTask;

/** The worker says first that it is there, then one answer a task. */
export type WorkerMessage =
  'ready' | { readonly result: unknown } | { readonly error: SerializedError };

// Pictures go from a worker to the caller's, where the OCR engine is, and their text comes back.

/** What a worker is told of the engine. */
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

/** On the caller's side: answers until the port is closed. */
export function serveOcr(port: MessagePort, pictures: PictureRecognizer): void {
  const answer = async ({ id, picture }: OcrQuestion): Promise<void> => {
    const recognition = await pictures
      .recognize(picture)
      .catch((error: unknown) => ({ error: serializeError(error) }));
    port.postMessage({ id, recognition } satisfies OcrAnswer);
  };
  port.on('message', (question: OcrQuestion) => void answer(question));
}

/** On the worker's side. */
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
