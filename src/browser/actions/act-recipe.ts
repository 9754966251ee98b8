/** A recipe of an act: steps on the pages of one host as JSON that people can review; its check and its option. */
import { z } from 'zod';
import { messageOf } from '../../core/runtime/errors.ts';

/** What a step does. `check` sets a checkbox, a radio button or a switch. */
export const stepActions = [
  'click',
  'write',
  'select',
  'check',
  'press',
  'hover',
  'scroll',
] as const;

/** The name of what a step does. */
export type ActStepAction = (typeof stepActions)[number];

/** The kinds of effect by which a step is proven. */
export const effectKinds = [
  'textAppears',
  'textDisappears',
  'urlContains',
  'elementAppears',
  'elementDisappears',
  'valueIs',
  'stateIs',
  'pageChanges',
] as const;

/** The states that `stateIs` knows. */
export const elementStates = [
  'checked',
  'unchecked',
  'expanded',
  'collapsed',
  'selected',
  'unselected',
  'pressed',
  'unpressed',
] as const;

/** Effects that an act has only where the caller allows them. */
export const actRisks = ['purchase', 'deletion', 'message'] as const;

/** The name of such an effect. */
export type ActRisk = (typeof actRisks)[number];

/** The effect that proves a step: it did not hold before the step, and holds after it. */
export interface ActEffect {
  /** `pageChanges` is the weakest: text, fields, scroll positions or URL differ. */
  readonly kind: (typeof effectKinds)[number];
  /**
   * The text or a part of it, the part of the URL, the value, the state; for an element a part of its
   * name. Without text and role, `elementDisappears` is about the step's own element.
   */
  readonly text?: string | undefined;
  /** The ARIA role of the element that appears or disappears. */
  readonly role?: string | undefined;
}

/** An element as a reader would describe it. A step whose selectors no longer fit finds it by likeness. */
export interface ActElement {
  /** The ARIA role. */
  readonly role: string;
  /** The accessible name. */
  readonly name: string;
  /** The heading before it. */
  readonly heading: string;
  /** The region around it: `dialog`, `navigation`, `form`, … */
  readonly area: string;
  readonly tag: string;
  /** Words of its ids, classes and other attributes. */
  readonly words: string;
}

/** A step of a recipe. */
export interface ActRecipeStep {
  readonly action: ActStepAction;
  /**
   * Of its element, from robust to brittle: test id, id, name, role and accessible name, text, place in
   * the document. The first that exactly one visible element has is used. Empty for a step without an element.
   */
  readonly selectors: readonly string[];
  /** Text to write, the option, the key, or the direction; `%name%` stands for a variable. */
  readonly value?: string | undefined;
  readonly effect: ActEffect;
  readonly element?: ActElement | undefined;
}

/** Plain JSON: commit it, review it, pass it as the option `recipe` of an act. */
export interface ActRecipe {
  /** The version of this format. */
  readonly format: 1;
  /** Equal for the same host, prompt and steps. */
  readonly id: string;
  /** Host and port of its pages. */
  readonly host: string;
  /** The task. */
  readonly prompt: string;
  readonly steps: readonly ActRecipeStep[];
  /** URL of the page on which it was proven. */
  readonly learnedFrom: string;
  /** ISO 8601. */
  readonly learnedAt: string;
  /** The model's name. */
  readonly model: string;
  /** The `id` of the recipe that it replaces, which no longer fitted. */
  readonly replaces?: string | undefined;
}

/** Steps of one act at most. */
export const mostSteps = 30;

export const longestText = 500;

export const mostSelectors = 10;

const text = z.string().max(longestText);

const longText = z.string().max(5000);

const recipeShape: z.ZodType<ActRecipe> = z.object({
  format: z.literal(1),
  id: z.string().min(1).max(100),
  host: z.string().min(1).max(300),
  prompt: longText.min(1),
  steps: z
    .array(
      z.object({
        action: z.enum(stepActions),
        selectors: z.array(text).max(mostSelectors),
        value: longText.optional(),
        effect: z.object({
          kind: z.enum(effectKinds),
          text: text.optional(),
          role: text.optional(),
        }),
        element: z
          .object({
            role: text,
            name: text,
            heading: text,
            area: text,
            tag: text,
            words: text,
          })
          .optional(),
      }),
    )
    .min(1)
    .max(mostSteps),
  learnedFrom: longText,
  learnedAt: z.string().max(50),
  model: z.string().max(300),
  replaces: z.string().max(100).optional(),
});

/** Checks a possible recipe; unknown properties are left out. Throws an `Error` that names the problem. */
export function checkActRecipe(value: unknown): ActRecipe {
  const { success, data, error } = recipeShape.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw new Error(`${issue?.path.join('.') || 'the recipe'}: ${issue?.message ?? 'wrong'}`);
}

// The option `recipe`.

/**
 * `learn`: stored recipes of the client are used, and where none fits its model is asked. `use`: only stored
 * recipes, without a model. A recipe or several: these come first; where none fits, the model is asked where the
 * client has one.
 */
export type ActRecipeChoice = 'learn' | 'use' | ActRecipe | readonly ActRecipe[];

const mostGiven = 50; // recipes that a caller may pass

/** The check of the option. */
export const actRecipeChoice: z.ZodType<ActRecipeChoice> = z
  .unknown()
  .transform((choice, context) => {
    if (choice === 'learn' || choice === 'use') return choice;
    const list: readonly unknown[] = Array.isArray(choice) ? choice : [choice];
    const isList = list.length > 0 && list.length <= mostGiven && typeof list[0] === 'object';
    try {
      if (isList) return list.map(checkActRecipe);
      context.addIssue(`expected "learn", "use", a recipe or a list of 1 to ${mostGiven}`);
    } catch (error) {
      context.addIssue(`this is not a recipe: ${messageOf(error)}`);
    }
    return z.NEVER;
  });
