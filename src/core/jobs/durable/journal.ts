/** The journal of a job: its external inputs, and its documents in order, so that the job can be replayed. */
import { messageOf, PagewrightError } from '../../runtime/errors.ts';
import { SkippedByHook } from '../../hooks/hook-lists.ts';
import { BudgetRefusal } from '../../../extract/llm/model-failure.ts';
import type { ModelTotals } from '../../../extract/llm/model.ts';
import {
  deserializeError,
  type SerializedError,
  serializeError,
} from '../../page/serialized-error.ts';
import { DamagedValueError } from '../../storage/storage-failures.ts';
import {
  documentBytes,
  documentOf,
  packValue,
  type StoredValue,
  unpackBytes,
  unpackValue,
} from './stored-value.ts';
import { isStoreError, type JobStore } from './job-store.ts';
import type { Segments } from './segments.ts';
import { sha256Of } from '../../runtime/identifiers.ts';

/** A file of a site, or any other response that matters as a whole. */
interface StoredFile {
  readonly statusCode: number;
  readonly body: Uint8Array;
  readonly url: string;
  readonly isCut?: boolean | undefined;
}

/** An error in the store. */
export type StoredError = SerializedError & { readonly isVeto?: true };

/** The settings of a journal in a store. */
export interface JournalSetting {
  /** False: nothing is looked up, because nothing can exist. */
  readonly isResumed: boolean;
  /** See `Journal.round`. @default 0 */
  readonly round?: number | undefined;
  readonly warn: (sentence: string) => void;
  /** Called when the store fails to read or write a value: the job cannot continue. */
  readonly fail: (error: unknown) => void;
  /** @default each visit is read by itself */
  readonly segments?: Segments<unknown>;
}

/**
 * The journal of one job. Without a store it remembers nothing: whatever is requested comes from outside. Work behind a
 * damaged entry is repeated, with a warning. A store that fails to read or write an entry ends the job.
 */
export class Journal {
  readonly #store: JobStore | undefined;
  readonly #setting: JournalSetting;
  /** Files requested since the job was opened. */
  readonly #files = new Set<string>();
  #visitsLeft = 0;
  #keptFacts: unknown;
  /** 0, or the number of a retry round, which has its own visits and answers. */
  round: number;
  /** The use of the model that is about to be written. */
  #modelUse: { totals: ModelTotals } | undefined;
  #modelUseWritten: Promise<unknown> = Promise.resolve();

  constructor(store?: JobStore, setting: JournalSetting = unstored) {
    this.#store = store;
    this.#setting = setting;
    this.round = setting.round ?? 0;
  }

  /** True when the journal is in a store. */
  get isStored(): boolean {
    return this.#store !== undefined;
  }

  /** True when the job ran in an earlier process. */
  get isResumed(): boolean {
    return this.#setting.isResumed;
  }

  /** The visit of a page as it was stored; undefined when the page was not visited. */
  async visit<Facts>(url: string): Promise<StoredValue<Facts> | undefined> {
    const visit = (await this.#visitInSegment<Facts>(url)) ?? (await this.#readVisit<Facts>(url));
    if (visit !== undefined) this.#visitsLeft -= 1;
    return visit;
  }

  /** The same for a page that another process may have visited while this one runs. */
  async newVisit<Facts>(url: string): Promise<StoredValue<Facts> | undefined> {
    return this.#find<Facts>(visitName(url, this.round), `The visit of ${url}`);
  }

  /** A visit in the store whose facts are known: packed, as `packFacts` gives them. */
  async visitWith<Facts>(url: string, facts: Uint8Array): Promise<StoredValue<Facts>> {
    return this.#visitOf(url, documentOf(await unpackBytes(facts)) as Facts);
  }

  /** The facts of the visit that `keepVisit` has stored; undefined if another one was stored first. */
  get keptFacts(): unknown {
    return this.#keptFacts;
  }

  /** Visits of earlier processes that were not looked up yet, once they are counted. */
  get visitsLeft(): number {
    return this.#visitsLeft;
  }

  /** Counts them before the first lookup. If the name of one cannot be read, any page may have a visit. */
  async countVisits(): Promise<void> {
    if (!this.isResumed || this.#store === undefined) return;
    try {
      this.#visitsLeft = (await this.#store.names(visits)).length;
    } catch (error) {
      if (!(error instanceof DamagedValueError)) throw error;
      this.#visitsLeft = Infinity;
    }
  }

  /**
   * Stores a visit: the facts of the page, and its document or body. True once it is stored. The first stored visit of
   * a page counts: a visit that another process has stored stays, and is returned.
   */
  async keepVisit<Facts>(
    url: string,
    facts: Facts,
    bytes?: Uint8Array,
  ): Promise<boolean | StoredValue<Facts>> {
    let first: StoredValue<Facts> | undefined;
    const isStored = await this.#write(
      visitName(url, this.round),
      facts,
      bytes,
      async (store, name, value) => {
        first = await addVisit<Facts>(store, name, value, url);
      },
    );
    if (first === undefined && isStored) this.#keptFacts = facts;
    return first ?? isStored;
  }

  /** The file as read before; otherwise as `fetch` returns it. A second request reads it anew. */
  async file(
    url: string,
    signal: AbortSignal,
    fetch: () => Promise<StoredFile>,
  ): Promise<StoredFile> {
    const isFirst = !this.#files.has(url);
    if (!isFirst || this.#store === undefined) return fetch();
    this.#files.add(url);
    const name = `files/${hashOf(url)}`;
    const stored = await this.#read<Omit<StoredFile, 'body'> | { error: StoredError }>(name, url);
    if (stored !== undefined) {
      if ('error' in stored.facts) throw errorFrom(stored.facts.error);
      return { ...stored.facts, body: (await stored.bytes?.()) ?? new Uint8Array() };
    }
    try {
      const file = await fetch();
      const { body, ...facts } = file;
      await this.#write(name, facts, body);
      return file;
    } catch (error) {
      // A request aborted by the end of the job reveals nothing about the site, nor does the store.
      if (!signal.aborted && !isStoreError(error))
        await this.#write(name, { error: errorToStore(error) });
      throw error;
    }
  }

  /** The use of the job's model in earlier processes. */
  async modelUse(): Promise<ModelTotals | undefined> {
    const stored = await this.#read<ModelTotals>(modelUseName, 'What the model used');
    return stored?.facts;
  }

  /** Stores the use of the model so far; of several concurrent calls only the last one is written. */
  async keepModelUse(totals: ModelTotals): Promise<void> {
    if (this.#modelUse === undefined) {
      const pending = { totals };
      this.#modelUse = pending;
      this.#modelUseWritten = this.#modelUseWritten.then(() => {
        this.#modelUse = undefined;
        return this.#write(modelUseName, pending.totals);
      });
    } else this.#modelUse.totals = totals;
    await this.#modelUseWritten;
  }

  /** The answer of a caller's function, an earlier job or a model, each called once in the life of the job. */
  async answer<T>(
    kind: 'failed' | 'unmade' | 'earlier' | 'prompt' | 'nearness' | 'answered',
    url: string,
    signal: AbortSignal,
    ask: () => Promise<T>,
  ): Promise<T> {
    if (this.#store === undefined) return ask();
    const name = `answers/${kind}-${hashOf(inRound(url, this.round))}`;
    const stored = await this.#read<StoredAnswer>(name, `What a hook made of ${url}`);
    if (stored !== undefined) {
      const { answer, error, thrown } = stored.facts;
      if (thrown !== undefined) throw errorFrom(thrown);
      return (error === undefined ? answer : { error: errorFrom(error) }) as T;
    }
    try {
      const answer = await ask();
      // A built document is stored as a document.
      if (signal.aborted || kind === 'unmade') return answer;
      const isError = typeof answer === 'object' && answer !== null && 'error' in answer;
      await this.#write(name, isError ? { error: errorToStore(answer.error) } : { answer });
      return answer;
    } catch (thrown) {
      // A larger budget may pay for it, and the store may work again.
      const isLasting =
        !(signal.aborted || thrown instanceof BudgetRefusal || isStoreError(thrown)) &&
        (kind === 'failed' || kind === 'unmade');
      if (isLasting) await this.#write(name, { thrown: errorToStore(thrown) });
      throw thrown;
    }
  }

  async #readVisit<Facts>(url: string): Promise<StoredValue<Facts> | undefined> {
    return this.#read<Facts>(visitName(url, this.round), `The visit of ${url}`);
  }

  /** A visit with only its facts in memory. */
  async #visitInSegment<Facts>(url: string): Promise<StoredValue<Facts> | undefined> {
    if (!this.#setting.isResumed) return undefined;
    try {
      const facts = await this.#setting.segments?.visit(inRound(url, this.round));
      return facts === undefined ? undefined : this.#visitOf(url, facts as Facts);
    } catch (error) {
      this.#setting.fail(error);
      throw error;
    }
  }

  /** Its bytes are read on demand. */
  #visitOf<Facts>(url: string, facts: Facts): StoredValue<Facts> {
    const name = visitName(url, this.round);
    const bytes = async (): Promise<Uint8Array> => {
      const visit = await unpackValue(
        (await this.#store?.get(name)) ?? new Uint8Array(),
        `The visit of ${url}`,
      );
      return (await visit.bytes?.()) ?? new Uint8Array();
    };
    return { facts, bytes };
  }

  async #read<Facts>(name: string, what: string): Promise<StoredValue<Facts> | undefined> {
    return this.#setting.isResumed ? this.#find<Facts>(name, what) : undefined;
  }

  async #find<Facts>(name: string, what: string): Promise<StoredValue<Facts> | undefined> {
    try {
      const value = await this.#store?.get(name);
      return value === undefined ? undefined : await unpackValue<Facts>(value, what);
    } catch (error) {
      if (!(error instanceof DamagedValueError)) {
        this.#setting.fail(error);
        throw error;
      }
      this.#setting.warn(`${messageOf(error)} That step is repeated.`);
      return undefined;
    }
  }

  /** Never rejects: a store error is not the page's failure. */
  async #write(
    name: string,
    facts: unknown,
    bytes?: Uint8Array,
    put: (store: JobStore, name: string, value: Uint8Array) => Promise<void> = setValue,
  ): Promise<boolean> {
    if (this.#store === undefined) return false;
    let value: Uint8Array;
    try {
      value = await packValue(facts, bytes);
    } catch {
      // An answer that is not plain data is requested again.
      return false;
    }
    try {
      await put(this.#store, name, value);
      return true;
    } catch (error) {
      this.#setting.fail(error);
      return false;
    }
  }
}

const unstored: JournalSetting = {
  isResumed: false,
  warn: () => undefined,
  fail: () => undefined,
};

function setValue(store: JobStore, name: string, value: Uint8Array): Promise<void> {
  return store.set(name, value);
}

/** Stores a visit unless one exists, which is returned; a damaged one is replaced. */
async function addVisit<Facts>(
  store: JobStore,
  name: string,
  value: Uint8Array,
  url: string,
): Promise<StoredValue<Facts> | undefined> {
  try {
    if (await store.add(name, value)) return undefined;
    const first = await store.get(name);
    if (first !== undefined) return await unpackValue<Facts>(first, `The visit of ${url}`);
  } catch (error) {
    if (!(error instanceof DamagedValueError)) throw error;
  }
  await store.set(name, value);
  return undefined;
}

interface StoredAnswer {
  readonly answer?: unknown;
  readonly error?: StoredError;
  readonly thrown?: StoredError;
}

/** Names of visits begin with it. */
const visits = 'visits/';

const modelUseName = 'model-use';

/** The name of the visit of a URL in the store of its job. */
function visitName(url: string, round: number): string {
  return visits + hashOf(inRound(url, round));
}

/** A text unique to the URL and round: no URL has a space. */
export function inRound(url: string, round: number): string {
  return round === 0 ? url : `${url} ${round}`;
}

/** An error in a form that can be stored. */
export function errorToStore(error: unknown): StoredError {
  const sent = serializeError(error);
  const veto = error instanceof SkippedByHook ? { isVeto: true as const } : {};
  const stored = { ...sent, ...veto };
  return [stored, { ...stored, cause: undefined }].find(isPlain) ?? { other: plainError(error) };
}

/** The error as it was thrown. */
export function errorFrom(stored: StoredError): unknown {
  const error = deserializeError(stored);
  if (stored.isVeto === true) Object.setPrototypeOf(error, SkippedByHook.prototype);
  return error;
}

function isPlain(value: unknown): boolean {
  try {
    documentBytes(value);
    return true;
  } catch {
    return false;
  }
}

function plainError(error: unknown): Error {
  const message = messageOf(error);
  if (!(error instanceof PagewrightError)) return new Error(message);
  const { code, statusCode, retryAfter } = error;
  return new PagewrightError(code, message, { statusCode, retryAfter });
}

/** The name of a URL in a store and in messages. */
export function hashOf(url: string): string {
  return sha256Of(url).slice(0, 40);
}

// The documents of a job that outlives its process, in their order: most of them are stored with their pages.

/** The facts of a document that are known without reading it. */
export interface StoredDocument {
  readonly url: string;
  readonly credits: number;
  /** The number of values that were redacted, by type. */
  readonly redactions?: Readonly<Record<string, number>> | undefined;
  /** Bytes before packing. */
  readonly size: number;
}

/** A document that is stored with the visit of its page. */
export interface DocumentOfVisit extends Omit<StoredDocument, 'url'> {
  /** Facts of the visit. */
  readonly visit: unknown;
  /** The document before packing, once it was read or written in this process. */
  bytes?: Uint8Array | undefined;
}

/** The stored facts of a document. */
export interface DocumentFacts extends StoredDocument {
  /** The bytes belong to the visit of the page. */
  readonly isVisit: boolean;
  /** The round of that visit. @default 0 */
  readonly round?: number;
}

/** The documents in the store of a job, by their numbers. */
export class StoredDocuments {
  readonly #store: JobStore;
  readonly #journal: Journal;
  readonly #segments: Segments<DocumentFacts> | undefined;
  readonly #warn: (sentence: string) => void;

  /** A reader of a job that another process runs has no segments: it would write some. */
  constructor(
    store: JobStore,
    journal: Journal,
    warn: (sentence: string) => void,
    segments?: Segments<DocumentFacts>,
  ) {
    this.#store = store;
    this.#journal = journal;
    this.#segments = segments;
    this.#warn = warn;
  }

  /** Stores a document; one with a `visit`, which are the facts of that, has its bytes there. */
  async keep(
    index: number,
    document: StoredDocument,
    { bytes, visit }: Partial<Pick<DocumentOfVisit, 'bytes' | 'visit'>>,
  ): Promise<void> {
    const { round } = this.#journal;
    const isVisit = visit !== undefined;
    const facts = { ...document, isVisit, ...(isVisit && round > 0 && { round }) };
    await this.#segments?.change(index);
    await this.#store.set(nameOf(index), await packValue(facts, isVisit ? undefined : bytes));
    await this.#segments?.add(index, {
      facts,
      visit: isVisit ? { url: inRound(document.url, round), facts: visit } : undefined,
    });
  }

  /** The facts of a document; undefined if it was not stored, or is damaged. Rejects with `STORAGE`. */
  async find(index: number): Promise<StoredDocument | undefined> {
    try {
      const known = await this.#segments?.document(index);
      if (known !== undefined) return known;
      const facts = (await this.#read(index))?.facts;
      if (facts !== undefined) await this.#segments?.add(index, { facts });
      return facts;
    } catch (error) {
      if (!(error instanceof DamagedValueError)) throw error;
      this.#warn(`${messageOf(error)} It is made again.`);
      return undefined;
    }
  }

  /** The bytes of a document; rejects with `STORAGE` when they are damaged. */
  async read(index: number): Promise<Uint8Array | undefined> {
    const stored = await this.#read(index);
    if (stored?.facts.isVisit !== true) return stored?.bytes?.();
    const { url, round = 0 } = stored.facts;
    const visit = await this.#store.get(visitName(url, round));
    if (visit === undefined) return undefined;
    return (await unpackValue(visit, `The visit of ${url}`)).bytes?.();
  }

  async #read(index: number): Promise<StoredValue<DocumentFacts> | undefined> {
    const value = await this.#store.get(nameOf(index));
    return value === undefined ? undefined : unpackValue(value, `Document ${index}`);
  }
}

/** The number of documents of a job, and the URL of the last one. Rejects with `STORAGE`. */
export async function lastDocument(
  store: JobStore,
): Promise<{ readonly count: number; readonly url?: string }> {
  const stored = await store.names(documents);
  const value = await store.get(stored.at(-1) ?? nameOf(0));
  const facts = value && (await unpackValue<DocumentFacts>(value, 'A document')).facts;
  return { count: stored.length, ...(facts && { url: facts.url }) };
}

/** Names of documents begin with it. */
const documents = 'documents/';

function nameOf(index: number): string {
  return `${documents}${String(index).padStart(8, '0')}`;
}
