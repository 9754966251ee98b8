/** The index of a job: read from its store, or made of its documents and stored there. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import { cutMarkdown } from '../../content/formats/chunks/cut-markdown.ts';
import type { Chunk, MarkdownSource } from '../../content/formats/chunks/cut-markdown.ts';
import { JobStore, readManifest } from '../../core/jobs/durable/job-store.ts';
import {
  documentBytes,
  documentOf,
  packBytes,
  unpackBytes,
} from '../../core/jobs/durable/stored-value.ts';
import type { JobStatus } from '../../core/jobs/job-status.ts';
import { ExtractJob } from '../../core/jobs/extract-job.ts';
import type { Job } from '../../core/jobs/job.ts';
import { parseIndexOptions } from '../../core/options/search-options.ts';
import { pauses } from '../../core/runtime/yield-to-event-loop.ts';
import { untilCancelled, withSignal } from '../../core/runtime/deadline.ts';
import type { ClientParts } from '../../parts.ts';
import type { PlainDocument } from '../../core/page/compose-document.ts';
import { plainPassage } from './passage-text.ts';
import { type IndexedPage, WordIndex } from './search-index.ts';

/** The name of a stored index among the values of its job: it is dropped with them. */
const indexName = 'search-index';

/** The stored form. The words are indexed again, which takes less time than to read them. */
interface StoredIndex {
  readonly version: 1;
  readonly pages: readonly IndexedPage[];
}

const passageTokens = 256; // large enough for an answer, small enough to be about one thing
const longMarkdown = 16 * 1024; // characters of markdown from which it is cut on another thread

/** `client.index()`. */
export async function openIndex(
  parts: ClientParts,
  job: Job<PlainDocument> | ExtractJob<unknown>,
  options: unknown,
): Promise<WordIndex> {
  const { signal } = parseIndexOptions(options);
  if (job instanceof ExtractJob) {
    throw new PagewrightError('BAD_REQUEST', `Job ${job.id} is an extraction, which has no pages.`);
  }
  return untilCancelled([parts.signal, signal], `The index of job ${job.id}`, (either) =>
    indexJob(parts, job, either),
  );
}

/**
 * The index of a crawl or batch. Rejects with `MISSING_DEPENDENCY`, with `BAD_REQUEST` when no document has markdown,
 * with the errors of the job, and with the signal's reason.
 */
async function indexJob(
  parts: ClientParts,
  job: Job<PlainDocument>,
  signal: AbortSignal,
): Promise<WordIndex> {
  const store = await endedStore(parts, job.id);
  const index = await WordIndex.open();
  const stored = store && (await readIndex(store));
  if (stored !== undefined) {
    const pause = pauses();
    for (const page of stored) {
      await pause();
      signal.throwIfAborted();
      index.addPage(page);
    }
    return index;
  }
  await addDocuments(index, parts, job, signal);
  if (store !== undefined) {
    const form: StoredIndex = { version: 1, pages: index.content };
    const save = async (): Promise<void> =>
      store.set(indexName, await packBytes(documentBytes(form)));
    // The index can be used all the same.
    await save().catch((error: unknown) => parts.logger.warn(String(error)));
  }
  return index;
}

/** The values of a job in the client's storage; undefined while it may get further documents. */
async function endedStore(
  { store, keepsJobs }: ClientParts,
  id: string,
): Promise<JobStore | undefined> {
  if (!keepsJobs) return undefined;
  try {
    const { state } = await readManifest(store, id);
    return state === 'scraping' ? undefined : new JobStore(store, id);
  } catch (error) {
    // A job whose data must not be retained is in memory only.
    if (error instanceof PagewrightError && error.code === 'JOB_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Undefined where there is none, or it is damaged or of another version: it is made anew. */
async function readIndex(store: JobStore): Promise<readonly IndexedPage[] | undefined> {
  const bytes = await store.get(indexName);
  if (bytes === undefined) return undefined;
  try {
    const { version, pages } = documentOf(await unpackBytes(bytes)) as Partial<StoredIndex>;
    return version === 1 ? pages : undefined;
  } catch {
    return undefined;
  }
}

async function addDocuments(
  index: WordIndex,
  parts: ClientParts,
  job: Job<PlainDocument>,
  signal: AbortSignal,
): Promise<void> {
  const pause = pauses();
  let documents = 0;
  // A part of the documents is in memory at a time; a running job gives the documents that it has.
  for (let skip: number | undefined = 0; skip !== undefined;) {
    const { data, next }: JobStatus<PlainDocument> = await withSignal(job.status({ skip }), signal);
    for (const document of data) {
      await pause();
      signal.throwIfAborted();
      const chunks = await chunksOf(parts, document, signal);
      if (chunks === undefined) continue;
      const { url, title } = document.metadata;
      index.addPage({
        url,
        title: typeof title === 'string' && title !== '' ? title : url,
        passages: chunks.map(({ text, headingPath, anchor }) => ({
          text: plainPassage(text),
          headingPath,
          anchor,
        })),
      });
    }
    documents += data.length;
    skip = data.length === 0 ? undefined : next;
  }
  if (index.pages > 0 || documents === 0) return;
  const message = `The ${documents} documents of job ${job.id} have no markdown to search in: give the crawl formats: ['markdown'].`;
  throw new PagewrightError('BAD_REQUEST', message);
}

/** The passages of a document: its own `chunks`, which have anchors, or else passages of its markdown. */
async function chunksOf(
  { workers }: ClientParts,
  { chunks, modelText, markdown = modelText, metadata: { url } }: PlainDocument,
  signal: AbortSignal,
): Promise<readonly Pick<Chunk, 'text' | 'headingPath' | 'anchor'>[] | undefined> {
  if (Array.isArray(chunks)) return chunks as readonly Chunk[];
  if (typeof markdown !== 'string') return undefined;
  const source: MarkdownSource = { markdown, ids: [], url };
  const sizes = { maxTokens: passageTokens, overlap: 0 };
  if (markdown.length < longMarkdown) return cutMarkdown(source, sizes);
  return workers.computing(url, signal)('chunks', source, sizes);
}
