/** A list of plain values by the property's name. */
import { oneLine } from '../../text/one-line.ts';
import { elementText } from '../structured-data/element-text.ts';
import type { Target } from './coerce.ts';
import type { EntityValue } from './entities.ts';
import { plainForms } from './entity-value.ts';
import { expandLists } from './expand-lists.ts';
import { fitting, fittingForm, textBeside } from './fitting.ts';
import type { Shape } from './json-schema.ts';
import { lookup } from './lookup.ts';
import { fold } from './names.ts';
import type { ExtractionSource } from './outcome.ts';
import type { Pair, PairValue } from './pair.ts';
import { machineTargetOf, type Reading, targetOf } from './reading.ts';
import type { Scope } from './scope.ts';
import { canonical } from './synonyms.ts';

/** Values with the place they were found in. */
export interface FoundList {
  readonly values: readonly unknown[];
  readonly source: ExtractionSource;
}

/** All values of the first source that has any that fit, each once. */
export function findList(
  name: string,
  item: Shape,
  scope: Scope,
  reading: Reading,
): FoundList | undefined {
  const target = targetOf(name, item, reading);
  const machine = machineTargetOf(name, item, reading);
  for (const subject of scope.subjects()) {
    for (const group of lookup(subject, name)) {
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

/** A list marked up as one property: its entries, where the markup gives one long text. */
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

function allOf(group: readonly EntityValue[], target: Target): unknown[] {
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

function labelledList(pairs: readonly Pair[], target: Target): FoundList | undefined {
  for (const source of ['table', 'definition-list', 'label'] as const) {
    const own = pairs.filter((pair) => pair.source === source && !pair.isText);
    // A list below a heading is more than a line that begins with the same word.
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

function entriesOf(value: PairValue, target: Target): string[] {
  const items = [...(value.element?.querySelectorAll('li') ?? [])];
  if (items.length === 0) return [textBeside(value, target)];
  return items.map((element) => textBeside({ element }, target));
}

/** Keywords come as one text with commas; steps as one with line breaks. */
function partsOf(value: string, name: string): string[] {
  const separator = canonical(fold(name)) === 'keywords' ? ',' : '\n';
  return value.split(separator).filter((part) => part.trim() !== '');
}
