/** The options of `instrumentPagewright()`. */
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { z } from 'zod';
import { check } from '../checks/check.ts';
import { type Input, option, schemaOf } from '../checks/option.ts';

const telemetryRows = {
  /** Makes the tracer. @default the global one, which an SDK registers */
  tracerProvider: option(
    z.custom<TracerProvider>((value) => has(value, 'getTracer'), 'expected a TracerProvider'),
  ),
  /** Makes the meter. @default the global one at the time of the call */
  meterProvider: option(
    z.custom<MeterProvider>((value) => has(value, 'getMeter'), 'expected a MeterProvider'),
  ),
};

/** Where spans and metrics go. */
export interface OpenTelemetryOptions extends Input<typeof telemetryRows> {}

/** Throws `ValidationError`. */
export function parseOpenTelemetryOptions(options: OpenTelemetryOptions): OpenTelemetryOptions {
  return check('instrumentPagewright', schemaOf(telemetryRows), options);
}

function has(value: unknown, method: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as Readonly<Record<string, unknown>>)[method] === 'function';
}
