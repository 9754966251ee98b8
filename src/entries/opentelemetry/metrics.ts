/** Metrics of OpenTelemetry from the messages of the channels. */
import type { Attributes, Meter } from '@opentelemetry/api';
import { onMessage, onRetry } from '../../core/telemetry/channels.ts';
import { pageSeconds } from '../../core/telemetry/page-seconds.ts';
import { errorType } from './error-type.ts';
import { operationNames } from './spans.ts';

/** Records metrics until the returned function is called. */
export function recordMetrics(meter: Meter): () => void {
  const requests = meter.createHistogram('pagewright.request.duration', {
    unit: 's',
    description: 'Time of fetches by an engine, redirects included.',
    advice: { explicitBucketBoundaries: [...pageSeconds] },
  });
  const bytes = meter.createCounter('pagewright.request.bytes', {
    unit: 'By',
    description: 'Bytes received, before decompression.',
  });
  const retried = meter.createCounter('pagewright.retries', {
    unit: '{retry}',
    description: 'Failed attempts at a page that were followed by another one.',
  });
  const pages = meter.createHistogram('pagewright.page.duration', {
    unit: 's',
    description: 'Time of pages, from the request to the document.',
    advice: { explicitBucketBoundaries: [...pageSeconds] },
  });
  const jobs = meter.createHistogram('pagewright.job.duration', {
    unit: 's',
    description: 'Time of jobs that ended.',
    advice: { explicitBucketBoundaries: [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400] },
  });
  const running = meter.createUpDownCounter('pagewright.jobs.running', {
    unit: '{job}',
    description: 'Jobs that run in this process.',
  });
  const calls = meter.createHistogram('gen_ai.client.operation.duration', {
    unit: 's',
    description: 'Time of calls of the model, with all attempts.',
    advice: { explicitBucketBoundaries: [...pageSeconds] },
  });
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Tokens of calls of the model.',
    advice: { explicitBucketBoundaries: [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144] },
  });
  /** Jobs that were counted as running. */
  const started = new Set<object>();
  const ended = (job: object): void => {
    if (started.delete(job)) running.add(-1);
  };

  const stops = [
    onMessage('pagewright:request', 'asyncEnd', (message) => {
      const { method, engine, statusCode, durationMs = 0, bytes: received = 0 } = message;
      const attributes = { 'pagewright.engine': engine };
      bytes.add(received, attributes);
      requests.record(durationMs / 1000, {
        ...attributes,
        'http.request.method': method,
        ...withOutcome(statusCode, errorType(message)),
      });
    }),
    onMessage('pagewright:page', 'asyncEnd', (message) => {
      const { engine, cacheState, statusCode, durationMs = 0 } = message;
      pages.record(durationMs / 1000, {
        ...(engine === undefined ? {} : { 'pagewright.engine': engine }),
        ...(cacheState === undefined ? {} : { 'pagewright.cache': cacheState }),
        ...withOutcome(statusCode, errorType(message)),
      });
    }),
    onMessage('pagewright:job', 'start', (job) => {
      started.add(job);
      running.add(1);
    }),
    onMessage('pagewright:job', 'asyncEnd', (job) => {
      const { verb, status, durationMs = 0 } = job;
      jobs.record(durationMs / 1000, {
        ...(verb === undefined ? {} : { 'pagewright.job.verb': verb }),
        ...(status === undefined ? {} : { 'pagewright.job.status': status }),
        ...withOutcome(undefined, errorType(job)),
      });
      ended(job);
    }),
    onMessage('pagewright:model', 'asyncEnd', (call) => {
      const { model, operation, inputTokens, outputTokens, durationMs = 0 } = call;
      const attributes = {
        'gen_ai.operation.name': operationNames[operation],
        'gen_ai.request.model': model,
      };
      const outcome = withOutcome(undefined, errorType(call));
      calls.record(durationMs / 1000, { ...attributes, ...outcome });
      for (const [type, count] of Object.entries({ input: inputTokens, output: outputTokens })) {
        if (count === undefined) continue;
        tokens.record(count, { ...attributes, 'gen_ai.token.type': type });
      }
    }),
    onRetry(({ kind, engine, ...end }) => {
      const attributes = { 'pagewright.retry.kind': kind, 'pagewright.engine': engine };
      retried.add(1, { ...attributes, 'error.type': errorType(end) ?? '_OTHER' });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    for (const job of started) ended(job);
  };
}

function withOutcome(statusCode: number | undefined, error: string | undefined): Attributes {
  return {
    ...(statusCode === undefined ? {} : { 'http.response.status_code': statusCode }),
    ...(error === undefined ? {} : { 'error.type': error }),
  };
}
