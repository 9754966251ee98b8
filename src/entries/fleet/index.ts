/**
 * Exported as `pagewright/fleet`: workers on any number of machines visit the pages of crawls, batches and
 * extractions, and run crawls that `client.submit()` hands over. Needs Redis, and the packages `bullmq` and `redis`.
 */
export type {
  ClassStatus,
  EngineNumbers,
  FleetStatus,
  WorkerStatus,
} from '../../core/model/fleet-status.ts';
export type { SendingJob, VisitorShare } from '../../core/model/page-visitor.ts';
export type { Fleet } from '../../core/options/client-rows.ts';
export { fleet } from './fleet.ts';
export type { FleetOptions } from './redis-connections.ts';
export type { FleetPage, FleetVisit, VisitOutcome } from './visit-counters.ts';
export { type FleetWorker, startWorker, type WorkerOptions } from './worker.ts';
