/** A scripted model that writes recipes as a real one does: it reads the outline, and names elements. */
import { type ModelRequestLike, outlineOf, type SeenElement } from './recipe-outline.ts';

export type { ModelRequestLike } from './recipe-outline.ts';

/** What it recognises: by path a function that finds the element, and what its value is. */
export type Recognizers = Readonly<
  Record<
    string,
    {
      readonly find: (element: SeenElement, all: readonly SeenElement[]) => boolean;
      readonly value?: (element: SeenElement) => unknown;
      readonly attribute?: string;
      readonly regex?: string;
    }
  >
>;

/** The answer to a request: values and selectors of what is recognised, null for the rest. */
export function recipeAnswer(request: ModelRequestLike, recognizers: Recognizers): object {
  const all = outlineOf(request);
  const values: Record<string, unknown> = {};
  const selectors: object[] = [];
  for (const [path, { find, value, attribute, regex }] of Object.entries(recognizers)) {
    const element = all.find((one) => find(one, all));
    values[path] =
      element === undefined ? null : (value ?? ((one: SeenElement) => one.text))(element);
    if (element === undefined) continue;
    selectors.push({
      path,
      selector: nameOf(element),
      attribute: attribute ?? null,
      regex: regex ?? null,
    });
  }
  return { values, selectors };
}

/** Its first class, else its tag. */
function nameOf({ tag, classes }: SeenElement): string {
  return classes[0] === undefined ? tag : `${tag}.${classes[0]}`;
}
