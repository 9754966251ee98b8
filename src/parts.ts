/** The set of parts that one client is made of. Two clients share none of them. */
import type { Action } from './browser/actions/action.ts';
import type { PostClient } from './core/http/post.ts';
import type { Format } from './content/formats/format.ts';
import type { ClientConcurrency } from './core/fetch/host-gate.ts';
import type { JobQueue, PageVisitor, VisitorPool } from './core/model/page-visitor.ts';
import type { PipelineParts } from './core/page/pipeline.ts';
import type { SearchNetwork } from './core/http/fetch-json.ts';
import type { SearchEngine } from './core/model/search-engine.ts';
import type { RequestQueueStorage } from './core/storage/request-queue-storage.ts';
import type { Store } from './core/storage/store.ts';
import type { OpenVault } from './core/storage/vault.ts';
import type { Telemetry } from './core/telemetry/telemetry.ts';

/** The parts that the verbs work with; made by `createClient`. */
export interface ClientParts extends PipelineParts {
  /** The caller's formats; the built-in ones come after them. */
  readonly formats: readonly Format[];
  /** The caller's actions; the built-in ones come before them. */
  readonly actions: readonly Action[];
  readonly store: Store;
  /** Encrypts secrets in the store; undefined if the client has no secret. */
  readonly vault: OpenVault | undefined;
  /** True when jobs in the store outlive the process: the caller passed the store. */
  readonly keepsJobs: boolean;
  /** Makes the request queue of one crawl. */
  readonly requestQueue: (jobId: string) => RequestQueueStorage | Promise<RequestQueueStorage>;
  /** Opens the poster of webhooks; the opener closes it. */
  readonly openPoster: () => PostClient;
  /** Requests to APIs that the caller chose: models and search engines. */
  readonly apiNetwork: SearchNetwork;
  /** Undefined: none. */
  readonly searchEngine: SearchEngine | undefined;
  readonly userAgent: string;
  readonly concurrency: ClientConcurrency;
  /** Visit the pages of jobs in the store. @default this process does */
  readonly visitors: VisitorPool | undefined;
  /** Visits the pages of the job that these parts are for. @default this process */
  readonly visitor: PageVisitor | undefined;
  /** Takes whole crawls. @default none can be handed over */
  readonly crawls: JobQueue | undefined;
  /** Receives warnings that belong to no result. */
  readonly logger: Pick<Telemetry, 'warn'>;
}
