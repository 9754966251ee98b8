// Spans and metrics of OpenTelemetry, kept in memory here; with an exporter of yours they go to your backend.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('@opentelemetry/api', '@opentelemetry/sdk-metrics', '@opentelemetry/sdk-trace-base');
const {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} = await import('@opentelemetry/sdk-metrics');
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } =
  await import('@opentelemetry/sdk-trace-base');
const { instrumentPagewright } = await import('pagewright/opentelemetry');

const spans = new InMemorySpanExporter();
const numbers = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const tracerProvider = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(spans)],
});
const meterProvider = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: numbers })],
});
const stop = instrumentPagewright({ tracerProvider, meterProvider });

// Serves a site from a folder beside this file; leave the engine out to read the web.
const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });
const urls = ['https://lantern.test/docs/install.html', 'https://lantern.test/docs/none.html'];
await client.batchScrape(urls, { maxConcurrency: 1 });

const finished = spans.getFinishedSpans();
const nameOf = (id: string | undefined) =>
  finished.find((span) => span.spanContext().spanId === id)?.name ?? '-';
for (const { name, parentSpanContext, attributes } of finished) {
  const { 'url.full': url = '', 'error.type': error = 'ok' } = attributes;
  console.log(`${name} < ${nameOf(parentSpanContext?.spanId)}`, url, error);
}

await meterProvider.forceFlush();
for (const { metrics } of numbers.getMetrics()[0]?.scopeMetrics ?? []) {
  for (const { descriptor } of metrics) console.log(descriptor.name, descriptor.unit);
}

stop();
await client.close();
await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]);
