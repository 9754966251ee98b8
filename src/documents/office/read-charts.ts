/** Writes charts of Office Open XML files (ECMA-376, part 1, 21.2) as tables: a row for each category. */
import { xmlChild, type XmlElement, xmlElements, xmlText } from '../../content/html/xml.ts';
import { escapeText } from '../../content/html/serialize.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import type { HtmlBudget } from './html-writer.ts';
import type { OpenPackage, Relations } from './open-package.ts';
import { type TableCell, writeTable } from './table-writer.ts';

const maxSeries = 100; // of one chart
const maxPoints = 2000;

/** The charts of a part as HTML, by the ids of their relations; empty for a chart without stored values. */
export async function readCharts(
  file: OpenPackage,
  relations: Relations,
  budget: HtmlBudget,
): Promise<ReadonlyMap<string, string>> {
  const charts = new Map<string, string>();
  for (const [id, { kind, target, isExternal }] of relations) {
    if (kind !== 'chart' || isExternal) continue;
    charts.set(id, chartHtml(await file.part(target), budget));
  }
  return charts;
}

/** The warning about charts without stored values. */
export function chartWarnings(charts: ReadonlyMap<string, string>): string[] {
  const count = [...charts.values()].filter((html) => html === '').length;
  return count === 0 ? [] : [`Charts without stored values were left out: ${count}.`];
}

function chartHtml(part: XmlElement | undefined, budget: HtmlBudget): string {
  const chart = xmlChild(part, 'c:chart');
  const title = textOf(xmlChild(chart, 'c:title'));
  const series = [...xmlElements(xmlChild(chart, 'c:plotArea'), 'c:ser')].slice(0, maxSeries);
  const columns = series.map((one, at) => ({
    name: textOf(xmlChild(one, 'c:tx')) || `${at + 1}`,
    labels: pointsOf(xmlChild(one, 'c:cat') ?? xmlChild(one, 'c:xVal')),
    values: pointsOf(xmlChild(one, 'c:val') ?? xmlChild(one, 'c:yVal')),
  }));
  const keys = new Set(columns.flatMap(({ values }) => [...values.keys()]));
  if (keys.size === 0) return '';
  const cells = (texts: readonly string[]): TableCell[] =>
    texts.map((text) => ({ html: budget.spend(escapeText(text)) }));
  const head = cells(['', ...columns.map(({ name }) => name)]);
  const rows = [...keys]
    .sort((a, b) => a - b)
    .map((point) => {
      const label = columns.find(({ labels }) => labels.has(point))?.labels.get(point);
      return cells([
        label ?? `${point + 1}`,
        ...columns.map(({ values }) => values.get(point) ?? ''),
      ]);
    });
  const caption = title === '' ? '' : budget.spend(`<p><strong>${escapeText(title)}</strong></p>`);
  return caption + writeTable([head, ...rows], 1, budget);
}

/** The stored values of a reference, by index. Levels of a category follow each other. */
function pointsOf(reference: XmlElement | undefined): ReadonlyMap<number, string> {
  const points = new Map<number, string>();
  for (const point of xmlElements(reference, 'c:pt')) {
    const index = Number(point.attributes['idx']);
    if (!Number.isInteger(index) || index < 0 || points.size >= maxPoints) continue;
    const text = oneLine(xmlText(xmlChild(point, 'c:v')));
    const inner = points.get(index);
    points.set(index, inner === undefined ? text : `${text} ${inner}`);
  }
  return points;
}

/** A title or a name: rich text, or a stored reference. */
function textOf(element: XmlElement | undefined): string {
  const rich = [...xmlElements(element, 'a:t')].map(xmlText).join('');
  const stored = [...xmlElements(element, 'c:v')].map(xmlText).join(' ');
  return oneLine(rich || stored);
}
