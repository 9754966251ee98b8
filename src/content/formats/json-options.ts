/** The options of the json format, checked. */
import { PagewrightError, ValidationError } from '../../core/runtime/errors.ts';
import { refuseUnknown } from '../../core/checks/option-errors.ts';
import type { OptionContext } from './format.ts';
import {
  checkProvenanceOptions,
  type ProvenanceOptions,
} from '../../extract/provenance/provenance.ts';
import { parseRecipeChoice, type RecipeSettings } from '../../extract/recipes/recipe.ts';
import {
  type CompiledSchema,
  compileSchema,
  type SchemaInput,
} from '../../extract/schema/compile-schema.ts';

/** The page is read by the client's model alone, by no model, or by both where there is one. */
export type JsonMode = 'auto' | 'model' | 'markup';

/** The checked options of the json format. */
export interface JsonOptions extends ProvenanceOptions {
  /** Undefined only with a prompt, for a model. */
  readonly schema: CompiledSchema | Promise<CompiledSchema> | undefined;
  /** The caller's request to the model. */
  readonly prompt?: string | undefined;
  /** @default 'auto' */
  readonly mode?: JsonMode;
  /** True when the model is called, unless selectors give everything. @default false */
  readonly asksModel?: boolean;
  /** Settings for reading by learned recipes. */
  readonly recipe?: RecipeSettings | undefined;
}

/** The part of the options that is about the model. */
export type ModelChoice = Required<Pick<JsonOptions, 'prompt' | 'mode' | 'asksModel' | 'recipe'>>;

const longestPrompt = 20_000; // characters of a prompt: it is sent with each part of a page

/** Throws an `Error` that names the problem, and `MODEL_REQUIRED` for an option that needs a missing model. */
export function parseJsonOptions(
  options: Readonly<Record<string, unknown>>,
  { hasModel }: OptionContext = { hasModel: false },
): JsonOptions {
  const { schema: input, prompt, mode, recipe, provenance, unverified, ...unknown } = options;
  refuseUnknown(unknown, ['schema', 'prompt', 'mode', 'recipe', 'provenance', 'unverified']);
  const given = { prompt, mode, recipe, hasSchema: input !== undefined };
  const question = parseModelQuestion('json', given, hasModel);
  const asked = checkProvenanceOptions({ provenance, unverified });
  return { schema: parseSchema(input), ...question, ...asked };
}

/**
 * Checks the options about the model, which `extract()` has too. Throws an `Error` that
 * begins with the option's name, and `MODEL_REQUIRED`.
 */
export function parseModelQuestion(
  subject: string,
  given: {
    readonly prompt: unknown;
    readonly mode: unknown;
    readonly recipe: unknown;
    readonly hasSchema: boolean;
  },
  hasModel: boolean,
): ModelChoice {
  const { prompt, mode = 'auto', hasSchema } = given;
  if (!isMode(mode))
    throw new Error(`mode: expected "auto", "model" or "markup", got ${shown(mode)}`);
  if (prompt !== undefined && !isPrompt(prompt)) {
    throw new Error(
      `prompt: expected a text of 1 to ${longestPrompt} characters, got ${shown(prompt)}`,
    );
  }
  if (prompt !== undefined && mode === 'markup') {
    throw new Error(
      'prompt: it is read by a model, which mode "markup" does not ask; leave one of them out',
    );
  }
  // A recipe that was learned for a prompt is found by it.
  const asksRecipe = given.recipe !== undefined && given.recipe !== 'learn';
  if (!hasModel && !asksRecipe && (prompt !== undefined || mode === 'model')) {
    throw new PagewrightError(
      'MODEL_REQUIRED',
      `${subject}: ${prompt === undefined ? 'mode "model" needs a model' : 'a prompt needs a model'}, and there is none. ` +
        'Pass one: createClient({ model }). Without a model, use a schema and no prompt.',
    );
  }
  if (!hasSchema && prompt === undefined) {
    throw new Error(
      hasModel ? 'it needs a schema, a prompt, or both' : 'without a model it needs a schema',
    );
  }
  const recipe = parseRecipe(subject, given.recipe, { mode, hasSchema, hasModel });
  const asksModel = hasModel && mode !== 'markup' && recipe?.learns !== false;
  return { prompt, mode, asksModel, recipe };
}

function parseRecipe(
  subject: string,
  given: unknown,
  asked: { readonly mode: JsonMode; readonly hasSchema: boolean; readonly hasModel: boolean },
): RecipeSettings | undefined {
  const { mode, hasSchema, hasModel } = asked;
  const recipe = parseRecipeChoice(given, hasModel && mode !== 'markup');
  if (recipe === undefined) return undefined;
  if (!hasSchema) throw new Error('recipe: it gives what a schema says; give one');
  if (mode === 'model') {
    throw new Error('recipe: with mode "model" the model reads each page; leave one of them out');
  }
  if (given === 'learn' && mode === 'markup') {
    throw new Error('recipe: "learn" asks a model, which mode "markup" does not; use "use"');
  }
  if (given === 'learn' && !hasModel) {
    throw new PagewrightError(
      'MODEL_REQUIRED',
      `${subject}: recipe "learn" needs a model, and there is none. Pass one: createClient({ model }). ` +
        'Without a model stored recipes can be used: recipe: "use".',
    );
  }
  return recipe;
}

function parseSchema(input: unknown): JsonOptions['schema'] {
  if (input === undefined) return undefined;
  try {
    const schema = compileSchema(input as SchemaInput);
    // It is awaited when the page has arrived; until then a failure must not count as unhandled.
    if (schema instanceof Promise) schema.catch(() => undefined);
    return schema;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new Error(error.message, { cause: error });
  }
}

function isMode(mode: unknown): mode is JsonMode {
  return mode === 'auto' || mode === 'model' || mode === 'markup';
}

function isPrompt(prompt: unknown): prompt is string {
  return typeof prompt === 'string' && /\S/.test(prompt) && prompt.length <= longestPrompt;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : typeof value;
}
