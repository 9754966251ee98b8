/** A plain value by the property's name. */
import { findClue } from './clues.ts';
import { coerce, type Target } from './coerce.ts';
import type { EntityValue } from './entities.ts';
import { expandLists } from './expand-lists.ts';
import { fitting, fittingForm, textBeside } from './fitting.ts';
import type { Shape } from './json-schema.ts';
import { lookup } from './lookup.ts';
import { fold } from './names.ts';
import type { ExtractionSource } from './outcome.ts';
import type { Pair } from './pair.ts';
import { machineTargetOf, type Reading, targetOf } from './reading.ts';
import type { Scope } from './scope.ts';
import { canonical } from './synonyms.ts';

/** A value with the place it was found in. */
export interface Found {
  readonly value: unknown;
  readonly source: ExtractionSource;
}

/** The first source that has a fitting value, by trust: entities, meta tags, labels, heading. */
export function findPlain(
  name: string,
  shape: Shape,
  scope: Scope,
  reading: Reading,
): Found | undefined {
  if (canonical(fold(name)) === 'location' && asksForTown(shape)) {
    const town = findPlain('city', shape, scope, reading);
    if (town !== undefined) return town;
  }
  const target = targetOf(name, shape, reading);
  const machine = machineTargetOf(name, shape, reading);
  for (const subject of scope.subjects()) {
    for (const group of lookup(subject, name)) {
      const value = oneOf(group, subject.source === 'json-ld' ? machine : target);
      if (value !== undefined) return { value, source: subject.source };
    }
  }
  const [content] = fitting(scope.page?.meta(name).flat() ?? [], machine);
  if (content !== undefined) return { value: content, source: 'opengraph' };
  const labelled = oneLabelled(scope.content().find(name, shape.schema), target);
  if (labelled !== undefined) return labelled;
  const clue = findClue(target, scope, reading.budget);
  if (clue !== undefined) return { value: clue, source: 'label' };
  const heading = isTitle(name) ? scope.page?.heading : undefined;
  const title = heading === undefined ? undefined : coerce(heading, target);
  return title === undefined ? undefined : { value: title, source: 'heading' };
}

/** Properties whose values are told together where the schema wants one text. */
const separators: ReadonlyMap<string, string> = new Map([
  ['author', ', '],
  ['keywords', ', '],
  ['performer', ', '],
  ['genre', ', '],
  ['recipeCuisine', ', '],
  ['recipeIngredient', ', '],
  ['employmentType', ', '],
  ['category', ', '],
  ['articleSection', ', '],
  ['recipeInstructions', '\n'],
]);

function oneOf(group: readonly EntityValue[], target: Target): unknown {
  const separator =
    target.shape.kind === 'string' ? separators.get(canonical(fold(target.name))) : undefined;
  if (separator === undefined) {
    for (const value of group) {
      const fit = fittingForm(value, target);
      if (fit !== undefined) return fit;
    }
    return undefined;
  }
  const all = new Set(expandLists(group).map((value) => fittingForm(value, target)));
  all.delete(undefined);
  return all.size === 0 ? undefined : [...all].join(separator);
}

const labelKinds = [
  ['table', false],
  ['definition-list', false],
  ['label', false],
  ['label', true],
] as const;

/** Labels that contradict each other tell nothing. */
function oneLabelled(pairs: readonly Pair[], target: Target): Found | undefined {
  for (const [source, isText] of labelKinds) {
    if (isText && target.shape.kind !== 'string') continue;
    const own = pairs.filter(
      (pair) => pair.source === source && !pair.isList && (pair.isText ?? false) === isText,
    );
    const values = fitting(
      own.flatMap(({ values: [first] }) => (first === undefined ? [] : textBeside(first, target))),
      target,
    );
    if (values.length > 1) return undefined;
    if (values.length === 1) return { value: values[0], source };
  }
  return undefined;
}

/** Of an address only the town is wanted: "City of the place of work". */
function asksForTown({ schema }: Shape): boolean {
  return /^(?:the )?(?:city|town)\b/i.test(schema.description ?? '');
}

function isTitle(name: string): boolean {
  return /^(title|name|headline|heading)$/.test(fold(name));
}
