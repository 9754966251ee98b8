/** The `formats` option: from names and objects to formats with checked options. */
import { messageOf, PagewrightError, ValidationError } from '../runtime/errors.ts';
import type {
  Format,
  FormatRequest,
  FormatUses,
  OptionContext,
} from '../../content/formats/format.ts';
import { builtInFormat, builtInFormatNames, reservedNames } from '../../content/formats/index.ts';
import { requireModel } from '../../extract/llm/model.ts';
import { atOnce } from '../runtime/at-once.ts';
import { refuseUnknown, unknownName, workerProblem } from '../checks/option-errors.ts';

/** Resolves each entry; throws `ValidationError` for unknown, repeated or wrongly configured ones. */
export function parseFormats(
  subject: string,
  inputs: readonly unknown[],
  custom: readonly Format[],
  hasModel = false,
): FormatRequest[] {
  const seen = new Set<string>();
  const fail = (index: number, message: string): ValidationError =>
    new ValidationError(subject, [
      { path: ['formats', index], message: `formats[${index}]: ${message}` },
    ]);

  const entries = inputs.map((input, index) => {
    const { name, options, format } = readFormatEntry(input);
    const problem = format && formatProblem(format);
    if (problem !== undefined) throw fail(index, problem);
    if (name === undefined) throw fail(index, 'expected a name, { type: name } or a format object');
    if (seen.has(name)) throw fail(index, `"${name}" is requested twice`);
    seen.add(name);
    return { index, name, options, format };
  });
  const requests = entries.map(({ index, name, options, format: own }) => {
    const format = own ?? custom.find((known) => known.name === name) ?? builtInFormat(name);
    if (format === undefined) {
      const known = [...builtInFormatNames(), ...custom.map((one) => one.name)];
      const meant = abbreviations[name.toLowerCase()];
      if (meant !== undefined)
        throw fail(index, `unknown format "${name}"; did you mean "${meant}"?`);
      throw fail(index, unknownName('format', name, known));
    }
    try {
      return formatRequest(format, options, { hasModel });
    } catch (error) {
      if (error instanceof ValidationError) {
        const issues = error.issues.map(({ path, message }) => ({
          path: ['formats', index, ...path],
          message: `formats[${index}]: ${name}: ${message}`,
        }));
        throw new ValidationError(subject, issues);
      }
      if (error instanceof PagewrightError) throw error;
      throw fail(index, `${name}: ${messageOf(error)}`);
    }
  });
  refuseMissing(subject, requests);
  return requests;
}

/** Names that other tools and people have for formats, too far from ours for `unknownName`. */
const abbreviations: Readonly<Record<string, string>> = {
  md: 'markdown',
  text: 'markdown',
  txt: 'markdown',
};

/** Formats may need others of the same document. */
function refuseMissing(subject: string, requests: readonly FormatRequest[]): void {
  for (const { format, uses } of requests) {
    for (const { name, without, by = format.name } of uses.requires ?? []) {
      const found = requests.find((request) => request.format.name === name);
      const options = found?.options as Readonly<Record<string, unknown>> | undefined;
      if (found !== undefined && (without === undefined || options?.[without] === undefined)) {
        continue;
      }
      const needed = without === undefined ? name : `${name}, without ${without},`;
      const message = `formats: ${by} needs ${needed} among the formats`;
      throw new ValidationError(subject, [{ path: ['formats'], message }]);
    }
  }
}

interface FormatEntry {
  readonly name?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly format?: Format;
}

function readFormatEntry(input: unknown): FormatEntry {
  if (typeof input === 'string') return { name: input };
  if (typeof input !== 'object' || input === null) return {};
  if (isFormat(input)) return { name: input.name, format: input };
  const { type, ...options } = input as Record<string, unknown>;
  return typeof type === 'string' ? { name: type, options } : {};
}

function isFormat(input: object): input is Format {
  const candidate = input as Partial<Format>;
  return typeof candidate.name === 'string' && typeof candidate.run === 'function';
}

/** The problem of a custom format, or undefined. */
function formatProblem({ name, needs, worker }: Format): string | undefined {
  if (name === '' || reservedNames.has(name)) return `a format cannot be named "${name}"`;
  // A JavaScript caller may pass a value outside the type.
  const stage: string = needs;
  const wrong = workerProblem(worker);
  if (wrong !== undefined) return `${name}: ${wrong}`;
  if (stage === 'page' || stage === 'content') return undefined;
  return `${name}: needs must be "page" or "content", got ${JSON.stringify(stage)}`;
}

function formatRequest(
  format: Format,
  given: Readonly<Record<string, unknown>> = {},
  context: OptionContext,
): FormatRequest {
  if (format.parseOptions === undefined) refuseUnknown(given, []);
  const options = atOnce(format.parseOptions?.(given, context));
  const uses: FormatUses = atOnce(format.uses?.(options)) ?? {};
  if (!context.hasModel && uses.model === true) {
    requireModel(undefined, `The format ${format.name}`, 'Without a model, leave it out.');
  }
  return { format, options, uses };
}
