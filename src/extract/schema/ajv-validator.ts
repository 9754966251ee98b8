/** Validates by JSON Schema. Loaded when the first JSON Schema is used. */
import type { Ajv as Compiler, ErrorObject, Options, ValidateFunction } from 'ajv';
import { ValidationError, type ValidationIssue } from '../../core/runtime/errors.ts';
import { Lazy, loadModule } from '../../core/runtime/load-module.ts';
import { type CompiledSchema, type JsonSchema, schemaPattern } from './json-schema.ts';

/** Throws `ValidationError` (`BAD_REQUEST`) when the schema itself is invalid. */
export async function ajvValidator(schema: JsonSchema): Promise<CompiledSchema['validate']> {
  const validate = await compile(schema);
  return (value) => {
    // Defaults are written into the value.
    const copy: unknown = structuredClone(value);
    if (validate(copy)) return Promise.resolve({ value: copy });
    return Promise.resolve({ issues: (validate.errors ?? []).map(issueOf) });
  };
}

/**
 * Not strict, so that the library's keywords (`x-selector`) are allowed. A property may be named
 * `toString`: only own properties count.
 */
const options = {
  allErrors: true,
  strict: false,
  useDefaults: true,
  ownProperties: true,
  logger: false,
  code: { regExp: Object.assign(schemaPattern, { code: 'schemaPattern' }) },
} as const satisfies Options;

async function compile(schema: JsonSchema): Promise<ValidateFunction> {
  const draft = /draft-0[67]/.test(String(schema.$schema)) ? '07' : '2020-12';
  const compiler = await openCompiler(draft, { validateSchema: false });
  try {
    await (await checkers[draft].get()).validateSchema(schema, true);
    return compiler.compile(schema);
  } catch (error) {
    throw new ValidationError('schema', [
      { path: ['schema'], message: (error as Error).message.replace(/^schema is invalid: /, '') },
    ]);
  }
}

type Draft = '07' | '2020-12';

/** Validators of the schemas' own meta-schema, which takes 50 ms to compile; they keep no schema. */
const checkers: Readonly<Record<Draft, Lazy<Compiler>>> = {
  '07': new Lazy(() => openCompiler('07')),
  '2020-12': new Lazy(() => openCompiler('2020-12')),
};

async function openCompiler(draft: Draft, own: Options = {}): Promise<Compiler> {
  const { default: addFormats } = await loadModule(() => import('ajv-formats'));
  const ajv =
    draft === '07'
      ? new (await loadModule(() => import('ajv'))).Ajv({ ...options, ...own })
      : new (await loadModule(() => import('ajv/dist/2020.js'))).Ajv2020({ ...options, ...own });
  addFormats.default(ajv);
  boundFormats(ajv);
  return ajv;
}

/** Some format patterns take quadratic time; a longer text does not match any format. */
function boundFormats(ajv: Compiler): void {
  for (const [name, format] of Object.entries(ajv.formats)) {
    const { validate } = format as { validate?: unknown };
    const test = format instanceof RegExp ? format : (validate ?? format);
    if (test instanceof RegExp) {
      ajv.addFormat(name, (text) => text.length <= longestFormatted && test.test(text));
    } else if (typeof test === 'function' && (format as { type?: string }).type !== 'number') {
      const fits = test as (text: string) => boolean;
      ajv.addFormat(name, (text) => text.length <= longestFormatted && fits(text));
    }
  }
}

const longestFormatted = 8_192; // characters; servers take no longer URLs

function issueOf(error: ErrorObject): ValidationIssue {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const missing: unknown = error.params.missingProperty;
  const unexpected: unknown = error.params.additionalProperty;
  const key = missing ?? unexpected;
  return {
    path: typeof key === 'string' ? [...path, key] : path,
    message: error.message ?? error.keyword,
  };
}
