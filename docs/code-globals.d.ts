/** Names that blocks of code in the documentation use without saying where they come from. */
import type { LanguageModel } from 'ai';
import type {
  Client,
  CrawlJob,
  Document,
  FormatInput,
  Hooks as PageHooks,
  Model,
  Store,
} from 'pagewright';
import type { z as Zod } from 'zod';

declare global {
  const z: typeof Zod;
  const client: Client;
  const url: string;
  const urls: string[];
  const apiKey: string;
  const password: string;
  const lastJobId: string | undefined;
  const secret: string;
  const companyAuthority: string;
  const bytes: Uint8Array;
  const model: Model;
  const languageModel: LanguageModel;
  const job: CrawlJob<Document>;
  const beforeRequest: NonNullable<PageHooks['beforeRequest']>;
  const onDocument: NonNullable<PageHooks['onDocument']>;
  const makeStore: () => Store;
  const openAgain: () => Store;
  const bucket: { put(name: string, bytes: Uint8Array): Promise<void> };
  const schema: Zod.ZodObject<{ name: Zod.ZodString; price: Zod.ZodNumber }>;
  type Hooks = PageHooks;
  function save(page: Document<readonly FormatInput[]>): Promise<void>;
  function index(passage: { id: string; text: string; url: string }): Promise<void>;
  function replace(url: string, passages: readonly object[]): Promise<void>;
  function remove(url: string): Promise<void>;
  function keep(jobId: string): Promise<void>;
  function myExtractor(html: string, url: string): Promise<{ content: string }>;
  function myPipeline(client: Client): Promise<void>;
  function cellOf(host: string): { redis: string };
  function askMine(question: object): Promise<{ text: string; in: number; out: number }>;
  function tokenFor(url: string): Promise<string>;
}
