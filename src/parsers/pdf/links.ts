/** Links: areas of the page, put on the text below them. */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { LinkArea, TextRun } from './geometry.ts';
import { isOnPaper, multiply } from './text-runs.ts';

const maxLinks = 2000;

/** The areas that lead to a page of the web or to an address. */
export async function readLinks(page: PDFPageProxy): Promise<LinkArea[]> {
  const transform = page.getViewport({ scale: 1 }).transform;
  const areas: LinkArea[] = [];
  for (const annotation of (await page.getAnnotations()) as unknown[]) {
    const { subtype, url, rect } = annotation as Record<string, unknown>;
    if (subtype !== 'Link' || typeof url !== 'string' || !Array.isArray(rect)) continue;
    if (!/^(?:https?|mailto|tel|ftp):/i.test(url)) continue;
    const [x1, y1, x2, y2] = rect as number[];
    const corners = [
      [x1, y1],
      [x2, y2],
    ].map(([x = 0, y = 0]) => multiply(transform, [1, 0, 0, 1, x, y]));
    const xs = corners.map((corner) => corner[4] ?? 0);
    const ys = corners.map((corner) => corner[5] ?? 0);
    if (![...xs, ...ys].every(isOnPaper)) continue;
    areas.push({
      href: url,
      left: Math.min(...xs),
      right: Math.max(...xs),
      top: Math.min(...ys),
      bottom: Math.max(...ys),
    });
    if (areas.length >= maxLinks) break;
  }
  return areas;
}

/** The runs with their links; one that is linked in part becomes several. */
export function placeLinks<Run extends TextRun>(
  runs: readonly Run[],
  areas: readonly LinkArea[],
): Run[] {
  if (areas.length === 0) return [...runs];
  const bands = byHeight(areas);
  return runs.flatMap((run) => {
    const middle = run.baseline - run.size * 0.3;
    const over = (bands.get(Math.floor(middle / bandHeight)) ?? []).filter(
      (area) =>
        area.top <= middle &&
        area.bottom >= middle &&
        Math.min(area.right, run.right) - Math.max(area.left, run.left) > run.size * 0.2,
    );
    return over.length === 0 ? [run] : cut(run, over);
  });
}

/** Points: areas are looked for by their height on the page. */
const bandHeight = 50;

function byHeight(areas: readonly LinkArea[]): Map<number, LinkArea[]> {
  const bands = new Map<number, LinkArea[]>();
  for (const area of areas) {
    const first = Math.floor(area.top / bandHeight);
    const last = Math.min(Math.floor(area.bottom / bandHeight), first + 100);
    for (let band = first; band <= last; band += 1) {
      const list = bands.get(band) ?? [];
      bands.set(band, list);
      list.push(area);
    }
  }
  return bands;
}

/** Cuts a run where links begin and end, between words. */
function cut<Run extends TextRun>(run: Run, areas: readonly LinkArea[]): Run[] {
  const { text } = run;
  const edges = spread(text, run.left, run.right);
  const places = placesOf(run, edges);
  const hrefs: (string | undefined)[] = Array.from({ length: text.length }, () => undefined);
  for (const { left, right, href } of areas) {
    const from = wordEdge(text, edges, left);
    const to = wordEdge(text, edges, right);
    hrefs.fill(href, from, to);
  }
  const parts: Run[] = [];
  for (let at = 0; at < text.length;) {
    let end = at + 1;
    while (end < text.length && hrefs[end] === hrefs[at]) end += 1;
    parts.push({
      ...run,
      text: text.slice(at, end),
      left: places[at] ?? run.left,
      right: places[end] ?? run.right,
      afterSpace: at === 0 ? run.afterSpace : /\s/.test(text.slice(at - 1, at + 1)),
      href: hrefs[at],
      words: wordsOf(run, at, end, places),
    });
    at = end;
  }
  return parts;
}

/** The place between two letters where a word begins or ends, or the text does, closest to `x`. */
function wordEdge(text: string, edges: readonly number[], x: number): number {
  let best = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const isEdge = at === 0 || at === text.length || isPart(text, at - 1) !== isPart(text, at);
    if (isEdge && Math.abs((edges[at] ?? 0) - x) < Math.abs((edges[best] ?? 0) - x)) best = at;
  }
  return best;
}

function isPart(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text[at] ?? '');
}

/** The words of a part of a run: letters `from` to `to`. */
function wordsOf(
  { text, words }: TextRun,
  from: number,
  to: number,
  places: readonly number[],
): TextRun['words'] {
  const matches = [...text.matchAll(/\S+/g)];
  return words?.flatMap(({ left, right, isApart }, at) => {
    const start = matches[at]?.index ?? 0;
    const end = start + (matches[at]?.[0].length ?? 0);
    if (start >= to || end <= from) return [];
    return [
      {
        left: places[Math.max(from, start)] ?? left,
        right: places[Math.min(to, end)] ?? right,
        isApart: isApart && start >= from,
      },
    ];
  });
}

/** The edges of letters, of which those of words are known. */
function placesOf({ text, words = [] }: TextRun, edges: readonly number[]): readonly number[] {
  const places = [...edges];
  for (const [at, { 0: word, index }] of [...text.matchAll(/\S+/g)].entries()) {
    const place = words[at];
    if (place === undefined) break;
    places.splice(index, word.length + 1, ...spread(word, place.left, place.right));
  }
  return places;
}

/** About where each letter begins: the file gives the width of the whole. */
function spread(text: string, left: number, right: number): number[] {
  const weights = [...text].flatMap((letter) =>
    letter.length === 1 ? [weightOf(letter)] : [weightOf(letter), 0],
  );
  const unit = (right - left) / (weights.reduce((sum, weight) => sum + weight, 0) || 1);
  let at = left;
  const edges = [at];
  for (const weight of weights) edges.push((at += weight * unit));
  return edges;
}

function weightOf(letter: string): number {
  if (/[iljtfI.,;:'|!()[\] ]/.test(letter)) return 0.55;
  if (/[mwMW@—]/.test(letter)) return 1.6;
  return /[A-Z]/.test(letter) ? 1.3 : 1;
}
