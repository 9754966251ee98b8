/** One question to a model about a page: its values, and selectors that are proven on it. */
import { ExtractError, type ValidationIssue } from '../../../errors.ts';
import type { Model, ModelAnswer, ModelUsage } from '../../../llm/model.ts';
import { estimateTokens } from '../../../text/estimate-tokens.ts';
import type { CompiledSchema } from '../compiled-schema.ts';
import type { PageExtraction } from '../extract-without-model.ts';
import { formatPath } from '../format-path.ts';
import { answerCheck } from '../with-model/answer-check.ts';
import { warnOfText } from '../with-model/attempt-warning.ts';
import { repairText } from '../with-model/prompt.ts';
import { joinProven, proveRecipe } from './prove-recipe.ts';
import { type RecipeAnswer, readRecipeAnswer, recipeAnswerSchema } from './recipe-answer.ts';
import { mergeRecipes, type OldRecipe, type ProvenRecipe } from './merge-recipes.ts';
import { type RecipePlan, selectorSchema } from './recipe-plan.ts';
import { recipePage, recipeTask } from './recipe-prompt.ts';
import type { PageOutline, RecipePage } from './recipe-reading.ts';
import { ownForm } from './try-recipes.ts';

/** Whom to ask, and what. */
export interface LearningQuestion {
  readonly model: Model;
  readonly plan: RecipePlan;
  readonly schema: CompiledSchema;
  readonly prompt: string | undefined;
  readonly signal: AbortSignal;
  readonly warn: (sentence: string) => void;
  readonly use: (usage: ModelUsage) => void;
  /** Told of each answer. */
  readonly onAnswer: () => void;
}

/** What came of it. */
export interface Learned {
  /** What the page gives: by selectors where they are proven, by the answer elsewhere. */
  readonly extraction: PageExtraction;
  /** What is proven; undefined when that alone does not give what the schema requires. */
  readonly recipe: ProvenRecipe | undefined;
  readonly unproven: readonly string[];
  /** The page says nothing of what is wanted. */
  readonly isEmpty: boolean;
}

/** Tokens that a model takes together with its answer, where it does not say. */
const defaultContext = 100_000;
/** Of them, what the outline may have: the answer may be long, a second try has both. */
const shareOfOutline = 0.35;
const charactersPerToken = 2.5;
const mostCharacters = 80_000;
const fewestCharacters = 1000;
/** Wrong selectors that a second try is told of. */
const mostIssues = 20;

/**
 * Asks, and once more where the answer cannot be used or its selectors do not give what the schema
 * requires. Throws `EXTRACT_INVALID` when the second answer cannot be used either, and `MODEL_FAILED`.
 */
export async function learnRecipe(
  page: RecipePage,
  question: LearningQuestion,
  old: OldRecipe | undefined,
): Promise<Learned> {
  const { model, plan, prompt, schema } = question;
  const system = recipeTask(plan.paths, prompt);
  const sent = recipeAnswerSchema(schema.jsonSchema, plan.paths);
  const overhead = estimateTokens(system) + estimateTokens(JSON.stringify(sent));
  const room = ((model.contextTokens ?? defaultContext) - overhead) * shareOfOutline;
  const wanted = Math.floor(room * charactersPerToken);
  const characters = Math.max(fewestCharacters, Math.min(mostCharacters, wanted));
  const reading = await page.read({ candidates: [], outline: characters });
  const { outline } = reading;
  if (outline === undefined) throw new Error('the page has no outline');
  warnOfText(reading, question.warn);
  const text = recipePage(page.url, outline.html, reading.unreadStyles);
  const check = await answerCheck(schema, { isWhole: true });
  const ask = async (asked: string): Promise<ModelAnswer> => {
    const answer = await model.generate({
      ...{ system, prompt: asked, schema: sent, signal: question.signal },
    });
    question.onAnswer();
    question.use(answer.usage);
    return answer;
  };
  const judge = async ({ text: answer, isCut = false }: ModelAnswer): Promise<Judgement> => {
    if (isCut) return refusal('the answer ended at the limit of tokens');
    const read = await readRecipeAnswer(answer, plan.paths, check);
    return 'issues' in read ? read : prove(page, question, read, outline, old);
  };
  const answer = await ask(text);
  const first = await judge(answer);
  if (first.issues.length === 0 && 'learned' in first) return first.learned;
  const second = await judge(await ask(repairText(text, answer.text, first.issues)));
  if ('learned' in second) return second.learned;
  if ('learned' in first) return first.learned;
  const told = second.issues
    .slice(0, 10)
    .map(({ path, message }) => (path.length === 0 ? message : `${formatPath(path)}: ${message}`));
  throw new ExtractError(
    `The model's recipe for ${page.url} cannot be used, twice: ${told.join('; ')}. ` +
      'Describe these properties in the schema, make them optional, or use another model.',
    second.issues,
    { url: page.url },
  );
}

/** What is wrong with an answer, and what there is of it all the same. */
type Judgement =
  | { readonly issues: readonly ValidationIssue[] }
  | { readonly issues: readonly ValidationIssue[]; readonly learned: Learned };

function refusal(message: string): Judgement {
  return { issues: [{ path: [], message }] };
}

/** Runs the selectors on the page, and holds what they give against the answer. */
async function prove(
  page: RecipePage,
  { plan, schema }: LearningQuestion,
  { values, entries, refused }: RecipeAnswer,
  { isShortened }: PageOutline,
  old: OldRecipe | undefined,
): Promise<Judgement> {
  const candidates = [
    selectorSchema(plan, entries),
    ...(old === undefined ? [] : [selectorSchema(plan, old.entries)]),
  ];
  const { tried } = await page.read({ candidates, outline: 0 });
  const all = new Set(plan.paths);
  const [selected, before] = [tried[0], tried[1]].map((one) =>
    one === undefined ? undefined : { ...one, own: ownForm(plan, one.extraction, all) },
  );
  const proof = proveRecipe(plan, selected?.own.value, values.value, isShortened);
  const merged = mergeRecipes(
    plan,
    { entries, proof, tried: selected },
    old === undefined
      ? undefined
      : {
          ...old,
          tried: before,
          proof: proveRecipe(plan, before?.own.value, values.value, isShortened),
        },
  );
  const { leaves } = merged;
  const alone = ownForm(
    plan,
    { ...merged.extraction, value: joinProven(plan, merged.value, undefined, leaves) },
    leaves,
  );
  const isUsable = leaves.size > 0 && 'value' in (await schema.validate(alone.value));
  const whole = ownForm(
    plan,
    { ...merged.extraction, value: joinProven(plan, merged.value, values.value, leaves) },
    leaves,
  );
  const answered = [...proof.unproven].filter(([path, { answered: value }]) => {
    return value !== undefined && value !== null && !leaves.has(path);
  });
  const isEmpty = proof.proven.size === 0 && answered.length === 0;
  const learned: Learned = {
    extraction: whole,
    recipe: isUsable ? { ...merged, leaves } : undefined,
    unproven: answered.map(([path]) => path),
    isEmpty,
  };
  // A page that does not have what is required gives no recipe, whatever is asked.
  const isHopeless = isEmpty || !('value' in (await schema.validate(whole.value)));
  if (isUsable || isHopeless) return { issues: [], learned };
  const wrong = answered.slice(0, mostIssues).map(([path, one]) => ({
    path: [path],
    message: `the selectors give ${shown(one.selected)} on this page, "values" says ${shown(one.answered)}`,
  }));
  return { issues: [...refused.slice(0, mostIssues), ...wrong], learned };
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return JSON.stringify(value).slice(0, 100);
}
