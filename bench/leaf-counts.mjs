// How much of what a person read from a page an extractor gave: counted by leaves.

/** @typedef {import('./structured-pages.d.mts').LeafCounts} LeafCounts */

/** @returns {LeafCounts} */
export function noLeaves() {
  return { leaves: 0, right: 0, missing: 0, wrong: 0, problems: [] };
}

/**
 * Adds the leaves of one value to the counts. Lists of plain values are compared entry by entry
 * whatever their order; records are paired with the most alike, so that one lost row is not counted
 * as all rows wrong.
 *
 * @param {unknown} gold
 * @param {unknown} given
 * @param {LeafCounts} counts
 * @param {string} path
 */
export function countLeaves(gold, given, counts, path = '') {
  if (isRecord(gold) || (isNothing(gold) && isRecord(given))) {
    const names = new Set([...Object.keys(gold ?? {}), ...Object.keys(record(given))]);
    for (const name of names) {
      const inner = path === '' ? name : `${path}.${name}`;
      countLeaves(record(gold)[name], record(given)[name], counts, inner);
    }
    if (!isRecord(given) && !isNothing(given)) countLeaf(undefined, given, counts, path);
  } else if (Array.isArray(gold) || Array.isArray(given)) {
    countList(list(gold), list(given), counts, path);
    if (!Array.isArray(given) && !isNothing(given)) countLeaf(undefined, given, counts, path);
  } else {
    countLeaf(gold, given, counts, path);
  }
}

/**
 * @param {unknown[]} gold
 * @param {unknown[]} given
 * @param {LeafCounts} counts
 * @param {string} path
 */
function countList(gold, given, counts, path) {
  if (gold.length === 0 && given.length === 0) countLeaf(undefined, undefined, counts, path);
  const left = [...given];
  for (const [index, entry] of gold.entries()) {
    const place = bestPlace(entry, left);
    const [match] = place === -1 ? [] : left.splice(place, 1);
    countLeaves(entry, match, counts, `${path}[${index}]`);
  }
  for (const extra of left) countLeaves(undefined, extra, counts, `${path}[+]`);
}

/**
 * @param {unknown} entry
 * @param {unknown[]} given
 */
function bestPlace(entry, given) {
  let best = -1;
  let most = 0;
  for (const [place, candidate] of given.entries()) {
    const counts = noLeaves();
    countLeaves(entry, candidate, counts);
    const worth = isRecord(entry) ? shared(entry, record(candidate)) : counts.right;
    if (worth > most) [best, most] = [place, worth];
  }
  return best;
}

/**
 * @param {Record<string, unknown>} gold
 * @param {Record<string, unknown>} given
 */
function shared(gold, given) {
  return Object.keys(gold).filter(
    (name) => !isNothing(gold[name]) && isSame(gold[name], given[name]),
  ).length;
}

/**
 * @param {unknown} gold
 * @param {unknown} given
 * @param {LeafCounts} counts
 * @param {string} path
 */
function countLeaf(gold, given, counts, path) {
  counts.leaves += 1;
  if (isSame(gold, given)) {
    counts.right += 1;
    return;
  }
  const kind = isNothing(given) ? 'missing' : 'wrong';
  counts[kind] += 1;
  counts.problems.push(`${kind} ${path}: ${JSON.stringify(gold)} / ${JSON.stringify(given)}`);
}

/**
 * @param {unknown} gold
 * @param {unknown} given
 */
function isSame(gold, given) {
  if (isNothing(gold)) return isNothing(given);
  if (typeof gold === 'number' && typeof given === 'number') {
    return Math.abs(gold - given) <= 1e-9 * Math.abs(gold);
  }
  return JSON.stringify(gold) === JSON.stringify(given);
}

/** @param {unknown} value */
function isNothing(value) {
  return value === undefined || value === null;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
function record(value) {
  return isRecord(value) ? value : {};
}

/**
 * @param {unknown} value
 * @returns {unknown[]}
 */
function list(value) {
  return Array.isArray(value) ? value : [];
}
