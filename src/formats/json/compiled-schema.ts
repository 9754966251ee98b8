/** A schema in the form that extraction, models and merging work with. */
import type { ValidationIssue } from '../../errors.ts';
import type { JsonSchema } from './json-schema.ts';

/** A schema that was checked. */
export interface CompiledSchema {
  /** What data must look like before the schema's own transforms: what extractors and models fill. */
  readonly jsonSchema: JsonSchema;
  /** The data, defaults and transforms applied; or everything that is wrong with it. */
  validate(value: unknown): Promise<{ value: unknown } | { issues: ValidationIssue[] }>;
}
