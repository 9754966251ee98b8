/** The options of `instrumentPagewright()`. */
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { z } from 'zod';
import { check } from '../checks/check.ts';

/** Where spans and metrics go. */
export interface OpenTelemetryOptions {
  /** Makes the tracer. @default the global one, which an SDK registers */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Makes the meter. @default the global one at the time of the call */
  readonly meterProvider?: MeterProvider | undefined;
}

/** Throws `ValidationError`. */
export function parseOpenTelemetryOptions(options: OpenTelemetryOptions): OpenTelemetryOptions {
  return check('instrumentPagewright', optionsSchema, options);
}

const optionsSchema = z.strictObject({
  tracerProvider: z
    .custom<TracerProvider>((value) => has(value, 'getTracer'), 'expected a TracerProvider')
    .optional(),
  meterProvider: z
    .custom<MeterProvider>((value) => has(value, 'getMeter'), 'expected a MeterProvider')
    .optional(),
} satisfies Record<keyof OpenTelemetryOptions, z.ZodType>);

function has(value: unknown, method: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as Readonly<Record<string, unknown>>)[method] === 'function';
}
