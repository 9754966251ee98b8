/** The category of a product by the breadcrumb of its page. */
import type { Entity } from '../json/entities.ts';
import { fold } from '../json/names.ts';
import { entitiesIn, lineOf, nameIn, rawText, urlIn } from './entity-text.ts';
import type { PageContext } from './product-facts.ts';

/** The names between the start page and the product, parted by ` > `. */
export function categoryOf(
  entities: readonly Entity[],
  title: string,
  context: PageContext,
): string | undefined {
  const lists = entities.flatMap((entity) => [
    entity,
    ...entitiesIn(entity, 'breadcrumb').slice(0, 5),
  ]);
  const breadcrumb = lists.find((list) => list.types.includes('breadcrumblist'));
  if (breadcrumb === undefined) return undefined;
  const steps = entitiesIn(breadcrumb, 'itemlistelement')
    .slice(0, 20)
    .map((step, index) => readStep(step, index, context))
    .sort((a, b) => a.position - b.position);
  if (steps[0]?.isStart === true) steps.shift();
  const last = steps.at(-1);
  if (last?.name !== undefined && fold(last.name) === fold(title)) steps.pop();
  return steps.flatMap(({ name }) => name ?? []).join(' > ') || undefined;
}

interface Step {
  readonly name: string | undefined;
  readonly position: number;
  /** It leads to the start page. */
  readonly isStart: boolean;
}

function readStep(step: Entity, index: number, { baseUrl }: PageContext): Step {
  const position = Number(rawText(step, 'position') ?? index + 1);
  const url = urlIn(step, baseUrl, 'item', 'url');
  return {
    name: lineOf(step, 'name') ?? nameIn(step, 'item'),
    position: Number.isFinite(position) ? position : index + 1,
    // Shops of several languages have a start page for each: `/de/`.
    isStart: url !== undefined && /^\/(?:[a-z]{2}(?:-[a-z]{2})?\/?)?$/i.test(new URL(url).pathname),
  };
}
