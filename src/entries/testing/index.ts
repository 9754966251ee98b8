/** Test sites, conformance suites and a clock: `import { serve } from 'pagewright/testing'`. */
export {
  type Behaviour,
  challenge,
  drip,
  emptyBody,
  endless,
  endlessHeaders,
  type Exchange,
  flaky,
  garbage,
  gzipBomb,
  hang,
  huge,
  latency,
  raw,
  redirectLoop,
  redirectTo,
  reset,
  slowHeaders,
  status,
  truncated,
  wrongCharset,
} from './behaviours.ts';
export type { ConformanceCase } from './conformance-case.ts';
export { engineConformance, type EngineMaker } from './engine-conformance.ts';
export { type FakeClock, fakeClock, type FakeClockOptions } from './fake-clock.ts';
export { formatConformance } from './format-conformance.ts';
export { type LinkedSite, linkedSite, type LinkedSiteOptions } from './linked-site.ts';
export {
  modelTurn,
  type ModelScript,
  type ModelTurn,
  type ModelTurnOptions,
  type ScriptedAnswer,
  type ScriptedModel,
  scriptedModel,
  type ScriptedModelOptions,
  type ScriptedRequest,
} from './scripted-model.ts';
export { networkEngineConformance } from './network-engine-conformance.ts';
export { openRecording, type Recording, type RecordingOptions } from './recording.ts';
export { openReplay, type Replay, type ReplayOptions } from './replay.ts';
export { recordModel } from './model-recording.ts';
export { type ReplayedModel, replayModel } from './model-recording.ts';
export { requestQueueConformance } from './request-queue-conformance.ts';
export { seededRandom } from './fake-clock.ts';
export { type FixtureServer, serve, type ServeOptions } from './serve.ts';
export type { LoggedRequest, PageHandler, SiteHandlers, SitePage } from './serve.ts';
export { storeConformance, type StoreConformanceOptions } from './store-conformance.ts';
export { fixturesEngine } from './fixtures.ts';
export { openSite, type Site, type SiteResponse } from './site-files.ts';
