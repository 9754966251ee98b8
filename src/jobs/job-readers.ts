/** Who reads a job's documents, how far each of them is, and how far the job may be ahead. */
import type { JobBell } from './job-bell.ts';
import { type DocumentSource, JobIteration } from './job-iteration.ts';
import type { JobRecord } from './job-record.ts';

/** How many documents may wait for a reader before the job pauses. */
const highWaterMark = 16;

/** What readers need of their job. */
export interface JobReadersSetting<Document> {
  readonly record: JobRecord<Document>;
  readonly bell: JobBell;
  /** False: a document is forgotten once every reader has it. */
  readonly keepsDocuments: boolean;
  readonly warn: (message: string) => void;
  /** The document that readers begin with; resolves when the job is open. */
  readonly start: Promise<number>;
  /** All readers are done with so many documents. */
  readonly onDone: (count: number) => void;
  /** The last reader left early, and nobody awaits the job. */
  readonly onAbandoned: () => void;
}

/** The readers of one job. */
export class JobReaders<Document> {
  readonly #setting: JobReadersSetting<Document>;
  /** Those that have begun and not left. */
  readonly #readers = new Set<JobIteration<Document>>();
  #awaited = false;

  constructor(setting: JobReadersSetting<Document>) {
    this.#setting = setting;
  }

  /** A reader of its own. */
  read(): JobIteration<Document> {
    const { record, bell, start } = this.#setting;
    const source: DocumentSource<Document> = {
      start,
      get length() {
        return record.log.length;
      },
      get first() {
        return record.log.first;
      },
      read: (index) => {
        record.refuseExpired();
        return record.log.read(index);
      },
      mayGrow: () => record.mayGrow(),
      get changed() {
        return bell.next;
      },
      asked: () => this.#setting.onDone(Math.min(...this.#positions(reader))),
      moved: () => {
        this.#readers.add(reader);
        this.forget();
        bell.ring();
      },
    };
    const reader = new JobIteration<Document>(source, (hadEverything) =>
      this.#left(reader, hadEverything),
    );
    return reader;
  }

  /** Somebody wants everything: the job waits for no reader. */
  await(): void {
    this.#awaited = true;
    this.forget();
    this.#setting.bell.ring();
  }

  /** With `keepDocuments: false`: drops what every reader has, or everything where nobody reads. */
  forget(): void {
    const { record, keepsDocuments, warn } = this.#setting;
    if (keepsDocuments) return;
    const { log } = record;
    const positions = this.#positions();
    const nobodyReads = positions.length === 0 && this.#awaited;
    const end = nobodyReads ? log.length : Math.min(log.length, ...positions);
    if (positions.length === 0 && !nobodyReads) return;
    log.forget(end).catch((error: unknown) => warn(String(error)));
  }

  /** True while every reader has documents enough to go on with. */
  get isPaced(): boolean {
    const { log } = this.#setting.record;
    const mayRunAhead = this.#readers.size === 0 && this.#setting.keepsDocuments;
    if (this.#awaited || mayRunAhead) return false;
    return log.length - Math.max(log.first, ...this.#positions()) >= highWaterMark;
  }

  /** False while every reader still has documents to take, and nobody awaits the job. */
  get askForMore(): boolean {
    if (this.#awaited || this.#readers.size === 0) return true;
    return [...this.#readers].some(({ asksForMore }) => asksForMore);
  }

  #positions(...more: readonly JobIteration<Document>[]): number[] {
    return [...new Set([...this.#readers, ...more])].map(({ position }) => position);
  }

  #left(reader: JobIteration<Document>, hadEverything: boolean): void {
    const hadBegun = this.#readers.delete(reader);
    this.forget();
    this.#setting.bell.ring();
    const isWanted = this.#readers.size > 0 || this.#awaited;
    if (hadBegun && !hadEverything && !isWanted) this.#setting.onAbandoned();
  }
}
