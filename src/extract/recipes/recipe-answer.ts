/** The answer of a model that writes a recipe, and its usable part. */
import type { ValidationIssue } from '../../core/runtime/errors.ts';
import { selectorError } from '../../content/html/selector.ts';
import { xpathError } from '../../content/html/xpath.ts';
import type { AnswerSchema } from '../llm/model.ts';
import { parseAnswer } from '../llm/json-value.ts';
import { isSchemaObject, type JsonSchema } from '../schema/json-schema.ts';
import { transformProblem, xpathOf } from '../schema/selector-keywords.ts';
import type { AnswerCheck } from '../with-model/ask-with-repair.ts';
import { schemaForModel, type TidyAnswer } from '../with-model/answer-schema.ts';
import type { RecipeEntry } from './recipe-plan.ts';

const limits = {
  selectors: 1000,
  alternatives: 3,
  longestSelector: 300,
  longestRegex: 200,
  listed: 100, // paths listed in the schema: providers take no longer lists
};

/** The usable part of an answer. */
export interface RecipeAnswer {
  readonly values: TidyAnswer;
  readonly entries: ReadonlyMap<string, RecipeEntry>;
  /** The problems of unusable selectors. */
  readonly refused: readonly ValidationIssue[];
}

/** Markup and event handlers are not values. */
const attributeName = /^(?!on|(?:html|style)$)[a-z][\w:.-]{0,60}$/i;

/** The schema that the model has to fill. */
export function recipeAnswerSchema(schema: JsonSchema, paths: readonly string[]): AnswerSchema {
  const { $defs, definitions, ...values } = rebased(schemaForModel(schema), 0) as JsonSchema;
  const text = { type: 'string' };
  const textOrNull = { type: ['string', 'null'] };
  const path = paths.length <= limits.listed ? { type: 'string', enum: [...paths] } : text;
  return {
    type: 'object',
    properties: {
      values,
      selectors: {
        type: 'array',
        items: {
          type: 'object',
          properties: { path, selector: text, attribute: textOrNull, regex: textOrNull },
          required: ['path', 'selector', 'attribute', 'regex'],
          additionalProperties: false,
        },
      },
    },
    required: ['values', 'selectors'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

/** Keeps definitions at the root; every other reference gets one step longer. */
function rebased(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > 64) return value;
  if (Array.isArray(value)) return value.map((one) => rebased(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (key !== '$ref' || typeof member !== 'string' || !/^#(?:\/|$)/.test(member)) {
        return [key, rebased(member, depth + 1)];
      }
      const isRootRelative = /^#\/(?:\$defs|definitions)\//.test(member);
      return [key, isRootRelative ? member : `#/properties/values${member.slice(1)}`];
    }),
  );
}

/** Reads the usable part of the answer, or all of its problems. */
export async function readRecipeAnswer(
  text: string,
  paths: readonly string[],
  check: AnswerCheck<TidyAnswer>,
): Promise<RecipeAnswer | { readonly issues: readonly ValidationIssue[] }> {
  const read = parseAnswer(text);
  if ('problem' in read) return { issues: [{ path: [], message: read.problem }] };
  const { value } = read;
  if (!isSchemaObject(value) || !Object.hasOwn(value, 'values')) {
    return { issues: [{ path: ['values'], message: 'it is missing' }] };
  }
  const selectors: unknown = Object.hasOwn(value, 'selectors') ? value['selectors'] : undefined;
  if (!Array.isArray(selectors) || selectors.length > limits.selectors) {
    const message = `expected a list of at most ${limits.selectors} selectors`;
    return { issues: [{ path: ['selectors'], message }] };
  }
  const checked = await check(JSON.stringify(value['values'] ?? null), { isLast: false });
  if ('issues' in checked) {
    const issues = checked.issues.map(({ path, message }) => ({
      path: ['values', ...path],
      message,
    }));
    return { issues };
  }
  const entries = new Map<string, RecipeEntry>();
  const refused: ValidationIssue[] = [];
  selectors.forEach((given: unknown, index) => {
    const problem = takeEntry(given, paths, entries);
    if (problem !== undefined) refused.push({ path: ['selectors', index], message: problem });
  });
  return { values: checked.answer, entries, refused };
}

/** Adds an entry, or reports its problem. */
function takeEntry(
  given: unknown,
  paths: readonly string[],
  entries: Map<string, RecipeEntry>,
): string | undefined {
  if (!isSchemaObject(given)) return 'expected an object';
  const { path, selector, attribute = null, regex = null } = given as Record<string, unknown>;
  if (typeof path !== 'string' || !paths.includes(path)) return 'the path is not one of the list';
  if (
    typeof selector !== 'string' ||
    selector.length > limits.longestSelector ||
    selector.trim() === ''
  ) {
    return `selector: expected a text of 1 to ${limits.longestSelector} characters`;
  }
  const xpath = xpathOf(selector);
  const problem = xpath === undefined ? selectorProblem(selector) : xpathError(xpath);
  if (problem !== undefined) return `selector: ${problem}`;
  if (attribute !== null && (typeof attribute !== 'string' || !attributeName.test(attribute))) {
    return 'attribute: expected the name of an attribute that has a value';
  }
  if (regex !== null && (typeof regex !== 'string' || regex.length > limits.longestRegex)) {
    return `regex: expected a text of at most ${limits.longestRegex} characters`;
  }
  const wrong =
    regex === null
      ? undefined
      : transformProblem({ 'x-selector': selector, 'x-transform': { regex } });
  if (wrong !== undefined) return `regex: ${wrong}`;
  const entry: RecipeEntry = {
    selectors: [selector.trim()],
    ...(attribute === null || attribute === 'text' ? {} : { attribute }),
    ...(regex === null || regex === '' ? {} : { transform: { regex } }),
  };
  const known = entries.get(path);
  if (known === undefined) entries.set(path, entry);
  else if (isAlike(known, entry) && known.selectors.length < limits.alternatives) {
    entries.set(path, { ...known, selectors: [...known.selectors, ...entry.selectors] });
  }
  return undefined;
}

/** True when both differ only in their selectors, so that they can be alternatives. */
export function isAlike(one: RecipeEntry, other: RecipeEntry): boolean {
  const settings = ({ attribute, transform }: RecipeEntry): string =>
    JSON.stringify([attribute ?? null, transform ?? null]);
  return settings(one) === settings(other);
}

/** Searches below each element of a page cost too much for selectors that were not reviewed. */
function selectorProblem(selector: string): string | undefined {
  if (/:(?:has|contains|icontains)\(/i.test(selector))
    return ':has() and :contains() are not taken';
  if ((selector.match(/[\s>+~,]+/g) ?? []).length > 12) return 'it has more than 12 steps';
  return selectorError(selector);
}
