/** Pictures go from a reading thread to the caller's, where the OCR engine is, and their text comes back. */
import type { MessagePort } from 'node:worker_threads';
import type { PagePicture, PictureReading, Recognition } from '../ocr/recognized-page.ts';
import { packError, type SentError, unpackError } from './sent-error.ts';

/** What a thread is told of the engine. */
export interface SentPictureReading extends Omit<PictureReading, 'recognize'> {
  readonly port: MessagePort;
}

interface Question {
  readonly id: number;
  readonly picture: PagePicture;
}

interface Answer {
  readonly id: number;
  readonly recognition: Recognition | { readonly error: SentError };
}

/** On the caller's side: answers until the port is closed. */
export function answerPictures(port: MessagePort, pictures: PictureReading): void {
  const answer = async ({ id, picture }: Question): Promise<void> => {
    const recognition = await pictures
      .recognize(picture)
      .catch((error: unknown) => ({ error: packError(error) }));
    port.postMessage({ id, recognition } satisfies Answer);
  };
  port.on('message', (question: Question) => void answer(question));
}

/** On the thread's side. */
export function askForPictures({ port, ...engine }: SentPictureReading): PictureReading {
  const waiting = new Map<number, (recognition: Answer['recognition']) => void>();
  let last = 0;
  port.on('message', ({ id, recognition }: Answer) => {
    waiting.get(id)?.(recognition);
    waiting.delete(id);
  });
  return {
    ...engine,
    recognize: async (picture) => {
      const id = (last += 1);
      const answered = new Promise<Answer['recognition']>((take) => waiting.set(id, take));
      port.postMessage({ id, picture } satisfies Question, [picture.bytes.buffer]);
      const recognition = await answered;
      if ('error' in recognition) throw unpackError(recognition.error);
      return recognition;
    },
  };
}
