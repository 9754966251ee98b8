/**
 * Exported as `pagewright/opentelemetry`: spans and metrics of OpenTelemetry for all clients of the process. Needs the
 * package `@opentelemetry/api`, and an SDK where they are to go somewhere.
 */
import { requirePackage } from '../../core/runtime/optional-packages.ts';
import {
  type OpenTelemetryOptions,
  parseOpenTelemetryOptions,
} from '../../core/options/opentelemetry-options.ts';
import { packageVersion } from '../../core/runtime/package-version.ts';
import { recordMetrics } from './metrics.ts';
import { type OpenTelemetry, recordSpans } from './spans.ts';

export type { OpenTelemetryOptions };

/**
 * Makes spans and metrics of everything that the clients of this process do from now on; `docs/observability.md` has
 * their names. Call it once, after the SDK has started. The returned function stops it: spans that are open end.
 *
 * No trace header is sent to the sites. Throws `BAD_REQUEST` for a wrong option, and `MISSING_DEPENDENCY` where
 * `@opentelemetry/api` is missing or has a version that does not work.
 *
 * @example const stop = instrumentPagewright();
 */
export function instrumentPagewright(options: OpenTelemetryOptions = {}): () => void {
  const given = parseOpenTelemetryOptions(options);
  const api = requirePackage<OpenTelemetry>('pagewright/opentelemetry', '@opentelemetry/api');
  const { tracerProvider = api.trace, meterProvider = api.metrics } = given;
  const version = packageVersion();
  const stopSpans = recordSpans(api, tracerProvider.getTracer('pagewright', version));
  const stopMetrics = recordMetrics(meterProvider.getMeter('pagewright', version));
  return () => {
    stopSpans();
    stopMetrics();
  };
}
