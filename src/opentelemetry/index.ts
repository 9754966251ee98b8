/**
 * Exported as `pagewright/opentelemetry`: spans and metrics of OpenTelemetry for all clients of the process. Needs the
 * package `@opentelemetry/api`, and an SDK where they are to go somewhere.
 */
import { metrics, trace } from '@opentelemetry/api';
import { requirePackages } from '../optional-packages.ts';
import {
  type OpenTelemetryOptions,
  parseOpenTelemetryOptions,
} from '../options/opentelemetry-options.ts';
import { packageVersion } from '../text/package-version.ts';
import { recordMetrics } from './metrics.ts';
import { recordSpans } from './spans.ts';

export type { OpenTelemetryOptions };

/**
 * Makes spans and metrics of everything that the clients of this process do from now on; `docs/observability.md` has
 * their names. Call it once, after the SDK has started. The returned function stops it: spans that are open end.
 *
 * No trace header is sent to the sites. Throws `BAD_REQUEST` for a wrong option, and `MISSING_DEPENDENCY` for a version
 * of `@opentelemetry/api` that does not work.
 *
 * @example const stop = instrumentPagewright();
 */
export function instrumentPagewright(options: OpenTelemetryOptions = {}): () => void {
  const { tracerProvider = trace, meterProvider = metrics } = parseOpenTelemetryOptions(options);
  requirePackages('pagewright/opentelemetry', '@opentelemetry/api');
  const version = packageVersion();
  const stopSpans = recordSpans(tracerProvider.getTracer('pagewright', version));
  const stopMetrics = recordMetrics(meterProvider.getMeter('pagewright', version));
  return () => {
    stopSpans();
    stopMetrics();
  };
}
