/** Spans of OpenTelemetry from the messages of the channels. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, Span, SpanKind, Tracer } from '@opentelemetry/api';
import { messageOf } from '../../core/runtime/errors.ts';
import {
  type ChannelMessages,
  onMessage,
  onRetry,
  type TracedMessage,
  type TracedName,
  tracing,
} from '../../core/telemetry/channels.ts';
import { withoutSignatures } from '../../core/telemetry/display-url.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { errorType } from './error-type.ts';

/** The package `@opentelemetry/api`. */
export type OpenTelemetry = typeof import('@opentelemetry/api');

/** Makes spans until the returned function is called, which ends the open ones. */
export function recordSpans(api: OpenTelemetry, tracer: Tracer): () => void {
  const scopes = new SpanScopes(api);
  const open = new Map<object, Span>();
  const recording = { api, tracer, scopes, open };
  const stops = [
    record('pagewright:job', recording),
    record('pagewright:page', recording),
    record('pagewright:request', recording),
    record('pagewright:model', recording),
    onRetry(({ kind, delayMs, attempt, ...end }) => {
      api.trace.getSpan(scopes.active())?.addEvent('pagewright.retry', {
        'pagewright.retry.kind': kind,
        'pagewright.retry.delay': delayMs / 1000,
        'http.request.resend_count': attempt,
        'error.type': errorType(end) ?? '_OTHER',
      });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    for (const span of open.values()) span.end();
    open.clear();
  };
}

/** Where a span is active. */
interface SpanScope {
  /** With the span. */
  readonly context: Context;
  /** The active context of OpenTelemetry when the span was made. */
  readonly outer: Context;
}

/**
 * The span in which code runs. Where a context manager of OpenTelemetry is registered, the span is also its active
 * one: spans that hooks make are its children. Without one, the spans made here find their parents all the same.
 */
class SpanScopes extends AsyncLocalStorage<SpanScope> {
  readonly #api: OpenTelemetry;

  constructor(api: OpenTelemetry) {
    super();
    this.#api = api;
  }

  /** The context whose span is the parent of a new one. A span of the caller's code wins. */
  active(): Context {
    const active = this.#api.context.active();
    const scope = this.getStore();
    return scope !== undefined && active === scope.outer ? scope.context : active;
  }

  override run<R, Args extends unknown[]>(
    scope: SpanScope,
    work: (...args: Args) => R,
    ...args: Args
  ): R {
    const { context } = this.#api;
    return super.run(scope, () => context.with(scope.context, work, undefined, ...args));
  }
}

interface SpanRecorder {
  readonly api: OpenTelemetry;
  readonly tracer: Tracer;
  readonly scopes: SpanScopes;
  /** The spans of messages that have not ended. */
  readonly open: Map<object, Span>;
}

function record<Name extends TracedName>(
  name: Name,
  { api, tracer, scopes, open }: SpanRecorder,
): () => void {
  const { title, kind, atStart, atEnd } = shapes[name];
  const start = (message: ChannelMessages[Name]): SpanScope => {
    const outer = scopes.active();
    const setting = { kind: api.SpanKind[kind], attributes: atStart(message) };
    const span = tracer.startSpan(title(message), setting, outer);
    open.set(message, span);
    return { context: api.trace.setSpan(outer, span), outer: api.context.active() };
  };
  const onEnd = (message: ChannelMessages[Name]): void => {
    const span = open.get(message);
    open.delete(message);
    if (span === undefined) return;
    if (span.isRecording()) {
      span.setAttributes({ ...atEnd(message), 'error.type': errorType(message) });
      setStatus(api, span, message);
    }
    span.end();
  };
  const { start: channel } = tracing[name];
  channel.bindStore(scopes, start);
  const stop = onMessage(name, 'asyncEnd', onEnd);
  return () => {
    channel.unbindStore(scopes);
    stop();
  };
}

/** What the caller cancelled did not fail. */
function setStatus(api: OpenTelemetry, span: Span, message: TracedMessage): void {
  const type = errorType(message);
  if (type === undefined || type === 'CANCELLED') return;
  const { error } = message;
  const details = error === undefined ? {} : { message: withoutSignatures(messageOf(error)) };
  span.setStatus({ code: api.SpanStatusCode.ERROR, ...details });
}

/** How the message of a channel becomes a span. */
interface SpanShape<Message> {
  readonly kind: keyof typeof SpanKind;
  title(message: Message): string;
  atStart(message: Message): Attributes;
  atEnd(message: Message): Attributes;
}

const shapes: { readonly [Name in TracedName]: SpanShape<ChannelMessages[Name]> } = {
  'pagewright:job': {
    kind: 'INTERNAL',
    title: () => 'pagewright.job',
    atStart: ({ id, verb, url }) => ({
      'pagewright.job.id': id,
      'pagewright.job.verb': verb,
      'url.full': url,
    }),
    atEnd: ({ verb, status, completed, failed, skipped, creditsUsed, warning, ...use }) => ({
      'pagewright.job.verb': verb,
      'pagewright.job.status': status,
      'pagewright.job.completed': completed,
      'pagewright.job.failed': failed,
      'pagewright.job.skipped': skipped,
      'pagewright.requests': use.requests,
      'pagewright.bytes': use.bytes,
      'pagewright.credits': creditsUsed,
      'pagewright.warning': warning,
    }),
  },
  'pagewright:page': {
    kind: 'INTERNAL',
    title: () => 'pagewright.page',
    atStart: ({ url, jobId }) => ({ 'url.full': url, 'pagewright.job.id': jobId }),
    atEnd: ({ finalUrl, statusCode, engine, cacheState, requests, bytes, ...end }) => ({
      'pagewright.final_url': finalUrl,
      'http.response.status_code': statusCode,
      'pagewright.engine': engine,
      'pagewright.cache': cacheState,
      'pagewright.requests': requests,
      'pagewright.bytes': bytes,
      'pagewright.credits': end.creditsUsed,
      'pagewright.warning': end.warning,
    }),
  },
  'pagewright:request': {
    kind: 'CLIENT',
    title: ({ method }) => method,
    atStart: ({ url, method, engine, attempt, jobId }) => ({
      'http.request.method': method,
      'url.full': url,
      ...serverOf(url),
      'http.request.resend_count': attempt === 1 ? undefined : attempt - 1,
      'pagewright.engine': engine,
      'pagewright.job.id': jobId,
    }),
    atEnd: ({ finalUrl, statusCode, requests, bytes }) => ({
      'pagewright.final_url': finalUrl,
      'http.response.status_code': statusCode,
      'pagewright.requests': requests,
      'pagewright.bytes': bytes,
    }),
  },
  'pagewright:model': {
    kind: 'CLIENT',
    title: ({ model, operation }) => `${operationNames[operation]} ${model}`,
    atStart: ({ model, operation }) => ({
      'gen_ai.operation.name': operationNames[operation],
      'gen_ai.request.model': model,
    }),
    atEnd: ({ inputTokens, outputTokens, cost }) => ({
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
      'pagewright.model.cost': cost,
    }),
  },
};

/** The values of `gen_ai.operation.name`. */
export const operationNames: Readonly<
  Record<ChannelMessages['pagewright:model']['operation'], string>
> = {
  generate: 'chat',
  embed: 'embeddings',
};

/** An engine of the caller's may serve URLs that have no host. */
function serverOf(url: string): Attributes {
  if (!canParseUrl(url)) return {};
  const { protocol, hostname, port } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? usual : Number(port) };
}
