/** Where two lists of lines differ, in bounded time whatever they are, and the same every time. */
import { pauses } from './pause.ts';

/** A place where they differ: lines `from` to `to` became lines `newFrom` to `newTo`; ends exclusive. */
export interface Difference {
  readonly from: number;
  readonly to: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** All places in order; the lines between them are common. */
export interface Differences {
  readonly list: readonly Difference[];
  /** False when some place was taken as a whole because looking closer takes too long. */
  readonly isFine: boolean;
}

/** Lines, old and new together, above which what differs is taken as a whole: reading them takes seconds. */
const mostLines = 200_000;
/** Edits looked for: the work grows with their square, and with the number of lines. */
const mostEdits = { whole: 300, part: 100 };
const mostSteps = 10_000_000;

/**
 * The shortest way from one to the other, where it is short. Else lines that occur once on both sides
 * hold the comparison, and what is between two of them is compared; or taken as a whole.
 */
export async function findDifferences(
  previous: readonly string[],
  current: readonly string[],
): Promise<Differences> {
  const { diffArrays } = await import('diff');
  const pause = pauses();
  const whole = trimmed(previous, current, {
    ...{ from: 0, to: previous.length, newFrom: 0, newTo: current.length },
  });
  if (isEmpty(whole)) return { list: [], isFine: true };
  if (isOneSided(whole)) return { list: [whole], isFine: true };
  if (sizeOf(whole) > mostLines) return { list: [whole], isFine: false };

  // Numbers are compared at once, lines of megabytes are not.
  const numbers = new Map<string, number>();
  const numbersOf = async (lines: readonly string[]): Promise<number[]> => {
    const found: number[] = [];
    for (const line of lines) {
      const number = numbers.get(line) ?? numbers.size;
      numbers.set(line, number);
      if (found.push(number) % 1024 === 0) await pause();
    }
    return found;
  };
  const before = await numbersOf(previous.slice(whole.from, whole.to));
  const after = await numbersOf(current.slice(whole.newFrom, whole.newTo));

  /** Undefined when it takes more edits. */
  const compare = (part: Difference, edits: number): Difference[] | undefined => {
    const maxEditLength = Math.min(edits, Math.floor(mostSteps / sizeOf(part)));
    const changes = diffArrays(
      before.slice(part.from, part.to),
      after.slice(part.newFrom, part.newTo),
      { maxEditLength },
    );
    return changes && differencesOf(changes, part);
  };
  const placed = (list: readonly Difference[]): Difference[] =>
    list.map((one) => shifted(one, whole.from, whole.newFrom));

  const all = { from: 0, to: before.length, newFrom: 0, newTo: after.length };
  const shortest = compare(all, mostEdits.whole);
  if (shortest !== undefined) return { list: placed(shortest), isFine: true };
  await pause();
  const list: Difference[] = [];
  let isFine = true;
  for (const gap of gapsBetween(await anchors(before, after, pause), all)) {
    const part = trimmed(before, after, gap);
    if (isEmpty(part)) continue;
    const closer = isOneSided(part) ? [part] : compare(part, mostEdits.part);
    if (closer === undefined) isFine = false;
    for (const one of closer ?? [part]) list.push(one);
    await pause();
  }
  return { list: placed(list), isFine };
}

function isEmpty({ from, to, newFrom, newTo }: Difference): boolean {
  return from === to && newFrom === newTo;
}

function isOneSided({ from, to, newFrom, newTo }: Difference): boolean {
  return from === to || newFrom === newTo;
}

function sizeOf({ from, to, newFrom, newTo }: Difference): number {
  return to - from + newTo - newFrom;
}

function shifted(difference: Difference, old: number, now: number): Difference {
  const { from, to, newFrom, newTo } = difference;
  return { from: from + old, to: to + old, newFrom: newFrom + now, newTo: newTo + now };
}

/** Without the common lines at both ends. */
function trimmed<T>(before: readonly T[], after: readonly T[], part: Difference): Difference {
  let { from, to, newFrom, newTo } = part;
  while (from < to && newFrom < newTo && before[from] === after[newFrom]) {
    from += 1;
    newFrom += 1;
  }
  while (from < to && newFrom < newTo && before[to - 1] === after[newTo - 1]) {
    to -= 1;
    newTo -= 1;
  }
  return { from, to, newFrom, newTo };
}

interface Run {
  readonly count: number;
  readonly added: boolean;
  readonly removed: boolean;
}

/** What is removed and what is added beside it is one place. */
function differencesOf(
  runs: readonly Run[],
  { from: old, newFrom: now }: Difference,
): Difference[] {
  const list: Difference[] = [];
  let [from, newFrom, to, newTo] = [old, now, old, now];
  const close = (): void => {
    if (from < to || newFrom < newTo) list.push({ from, to, newFrom, newTo });
  };
  for (const { count, added, removed } of runs) {
    if (removed) to += count;
    else if (added) newTo += count;
    else {
      close();
      from = to += count;
      newFrom = newTo += count;
    }
  }
  close();
  return list;
}

/** A line that occurs once on both sides, by its places. */
type Anchor = readonly [old: number, now: number];

/** The most of them that are in the same order on both sides: patience diff. */
async function anchors(
  before: readonly number[],
  after: readonly number[],
  pause: () => Promise<void>,
): Promise<Anchor[]> {
  const places = uniquePlaces(after);
  await pause();
  const own = uniquePlaces(before);
  await pause();
  const pairs = [...own].flatMap(([number, old]): Anchor[] => {
    const now = places.get(number);
    return now === undefined ? [] : [[old, now]];
  });
  /** By length of the sequence: its last pair, which is as early as can be, and the ones before it. */
  const ends: { readonly pair: Anchor; readonly before: Link | undefined }[] = [];
  for (const pair of pairs) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.pair[1] ?? Infinity) < pair[1]) low = middle + 1;
      else high = middle;
    }
    ends[low] = { pair, before: ends[low - 1] };
    if (pair[0] % 1024 === 0) await pause();
  }
  const longest: Anchor[] = [];
  for (let link: Link | undefined = ends.at(-1); link !== undefined; link = link.before) {
    longest.push(link.pair);
  }
  return longest.reverse();
}

interface Link {
  readonly pair: Anchor;
  readonly before: Link | undefined;
}

/** By number, in the order of their places. */
function uniquePlaces(numbers: readonly number[]): Map<number, number> {
  const places = new Map<number, number>();
  const repeated = new Set<number>();
  for (const [place, number] of numbers.entries()) {
    if (places.has(number)) repeated.add(number);
    else places.set(number, place);
  }
  for (const number of repeated) places.delete(number);
  return places;
}

function* gapsBetween(fixed: readonly Anchor[], all: Difference): Generator<Difference> {
  let { from, newFrom } = all;
  for (const [to, newTo] of fixed) {
    yield { from, to, newFrom, newTo };
    from = to + 1;
    newFrom = newTo + 1;
  }
  yield { from, to: all.to, newFrom, newTo: all.newTo };
}
