/** Finds the scalar value, or the list of scalar values, of a property by its name. */
import { oneLine } from '../../content/text/plain-text.ts';
import { elementText } from '../facts/element-text.ts';
import { type EntityValue, expandLists } from '../facts/entities.ts';
import { fold } from '../facts/property-names.ts';
import type { Shape } from '../schema/json-schema.ts';
import { contentOf } from '../schema/selector-keywords.ts';
import { findUnlabelled } from './unlabelled-values.ts';
import { coerce, type CoercionTarget } from './coerce.ts';
import { lookUpProperty, plainForms } from './entity-values.ts';
import type { LabelValue, LabelValues } from './label-values.ts';
import {
  type ExtractionSource,
  type FillContext,
  machineTargetOf,
  targetOf,
} from './schema-part.ts';
import type { Scope } from './scope.ts';
import { canonical } from './synonyms.ts';
import { firstDefined } from '../../core/runtime/first-defined.ts';

/** A value with its source. */
export interface ScalarMatch {
  readonly value: unknown;
  readonly source: ExtractionSource;
}

/** The first source that has a fitting value, by trust: entities, meta tags, labels, heading. */
export function findScalar(
  name: string,
  shape: Shape,
  scope: Scope,
  reading: FillContext,
): ScalarMatch | undefined {
  if (canonical(fold(name)) === 'location' && wantsTown(shape)) {
    const town = findScalar('city', shape, scope, reading);
    if (town !== undefined) return town;
  }
  const target = targetOf(name, shape, reading);
  const machine = machineTargetOf(name, shape, reading);
  for (const subject of scope.subjects()) {
    for (const group of lookUpProperty(subject, name)) {
      const value = oneOf(group, subject.source === 'json-ld' ? machine : target);
      if (value !== undefined) return { value, source: subject.source };
    }
  }
  const [content] = fitting(scope.page?.meta(name).flat() ?? [], machine);
  if (content !== undefined) return { value: content, source: 'opengraph' };
  const labelled = oneLabelled(scope.content().find(name, shape.schema), target);
  if (labelled !== undefined) return labelled;
  const unlabelled = findUnlabelled(target, scope, reading.budget);
  if (unlabelled !== undefined) return { value: unlabelled, source: 'label' };
  const heading = isTitle(name) ? scope.page?.heading : undefined;
  const title = heading === undefined ? undefined : coerce(heading, target);
  return title === undefined ? undefined : { value: title, source: 'heading' };
}

/** Properties whose values are joined if the schema expects one text. */
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

function oneOf(group: readonly EntityValue[], target: CoercionTarget): unknown {
  const separator =
    target.shape.kind === 'string' ? separators.get(canonical(fold(target.name))) : undefined;
  if (separator === undefined) return firstDefined(group, (value) => fittingForm(value, target));
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

/** No value if labels contradict each other. */
function oneLabelled(
  labelValues: readonly LabelValues[],
  target: CoercionTarget,
): ScalarMatch | undefined {
  for (const [source, isText] of labelKinds) {
    if (isText && target.shape.kind !== 'string') continue;
    const own = labelValues.filter(
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

/** True if only the town of an address is wanted: "City of the place of work". */
function wantsTown({ schema }: Shape): boolean {
  return /^(?:the )?(?:city|town)\b/i.test(schema.description ?? '');
}

function isTitle(name: string): boolean {
  return /^(title|name|headline|heading)$/.test(fold(name));
}

// Finds a list of plain values by the property's name.

/** Values with their source. */
export interface ListMatch {
  readonly values: readonly unknown[];
  readonly source: ExtractionSource;
}

/** All fitting values of the first source that has any, each once. */
export function findList(
  name: string,
  item: Shape,
  scope: Scope,
  reading: FillContext,
): ListMatch | undefined {
  const target = targetOf(name, item, reading);
  const machine = machineTargetOf(name, item, reading);
  for (const subject of scope.subjects()) {
    for (const group of lookUpProperty(subject, name)) {
      const entries = subject.source === 'json-ld' ? [] : markedEntries(group, scope);
      const values = allOf(
        entries.length > 0 ? entries : group,
        subject.source === 'json-ld' ? machine : target,
      );
      if (values.length > 0) return { values, source: subject.source };
    }
  }
  for (const group of scope.page?.meta(name) ?? []) {
    const values = fitting(
      group.flatMap((content) => partsOf(content, name)),
      machine,
    );
    if (values.length > 0) return { values, source: 'opengraph' };
  }
  return labelledList(scope.content().find(name, item.schema), target);
}

/** The entries of a list marked up as one property, if the markup gives one long text. */
function markedEntries([first, second]: readonly EntityValue[], scope: Scope): string[] {
  if (typeof first !== 'string' || second !== undefined || scope.element === undefined) return [];
  const marked = scope.element.querySelectorAll(
    'ol[itemprop], ul[itemprop], ol[property], ul[property]',
  );
  let seen = 0;
  for (const list of marked) {
    if ((seen += 1) > maxMarked) break;
    if (elementText(list) !== oneLine(first)) continue;
    return [...list.querySelectorAll('li')].map((entry) => elementText(entry));
  }
  return [];
}

const maxMarked = 50;

function allOf(group: readonly EntityValue[], target: CoercionTarget): unknown[] {
  const values = expandLists(group);
  const [first] = values;
  if (values.length === 1 && first !== undefined) {
    const [form] = plainForms(first, target.shape);
    if (typeof form === 'string') return fitting(partsOf(form, target.name), target);
  }
  const all = new Set(values.map((value) => fittingForm(value, target)));
  all.delete(undefined);
  return [...all];
}

function labelledList(
  labelValues: readonly LabelValues[],
  target: CoercionTarget,
): ListMatch | undefined {
  for (const source of ['table', 'definition-list', 'label'] as const) {
    const own = labelValues.filter((pair) => pair.source === source && !pair.isText);
    // A list below a heading takes precedence over a line that begins with the same word.
    const list = own.find((pair) => pair.isList);
    const values = list?.values ?? own.flatMap((pair) => pair.values);
    const texts = values.flatMap((value) => entriesOf(value, target));
    const [only] = texts;
    // A lone text in one cell or line: `red, green, blue`.
    const isText = texts.length === 1 && only !== undefined && list === undefined;
    const fit = fitting(isText ? only.split(/\s*[,;•|]\s+/) : texts, target);
    if (fit.length > 0) return { values: fit, source };
  }
  return undefined;
}

function entriesOf(value: LabelValue, target: CoercionTarget): string[] {
  const items = [...(value.element?.querySelectorAll('li') ?? [])];
  if (items.length === 0) return [textBeside(value, target)];
  return items.map((element) => textBeside({ element }, target));
}

/** Keywords are one text with commas; steps are one text with line breaks. */
function partsOf(value: string, name: string): string[] {
  const separator = canonical(fold(name)) === 'keywords' ? ',' : '\n';
  return value.split(separator).filter((part) => part.trim() !== '');
}

// The texts that fit the wanted type.

/** The values that fit, each once, in order. */
function fitting(texts: Iterable<string | number | boolean>, target: CoercionTarget): unknown[] {
  const fit = new Set<unknown>();
  for (const text of texts) {
    const value = coerce(text, target);
    if (value !== undefined) fit.add(value);
  }
  return [...fit];
}

/** The first plain form of a value that fits: a brand's name, an amount's number. */
function fittingForm(value: EntityValue, target: CoercionTarget): unknown {
  return firstDefined(plainForms(value, target.shape), (form) => coerce(form, target));
}

/** The text beside a label; for a property that is named as a URL, the link in it. */
function textBeside(value: LabelValue, target: CoercionTarget): string {
  if (value.element === undefined) return value.text;
  const { shape, name, baseUrl } = target;
  const isLink = shape.schema.format === undefined && canonical(fold(name)) === 'url';
  const wanted = isLink ? { ...shape, schema: { ...shape.schema, format: 'uri' } } : shape;
  return contentOf(value.element, wanted, baseUrl);
}
