// A thousand workers in fifty cells, simulated event by event: nothing is fetched, and every run gives the same
// numbers. Hosts are made up: few have many pages, some are slow, some ask to come back later. It shows how even
// the cells are, that no host is asked more often than it wants, and what a lost worker, a host that many jobs
// want, and a further cell change.
import { createHash } from 'node:crypto';

const cells = 50;
const workersPerCell = 20;
const slotsPerWorker = 32;
const slots = workersPerCell * slotsPerWorker;
const hostCount = 100_000;
/** Seconds between two requests to a host. */
const delay = 1;
/** A worker gives a page back whose host is not ready within that many seconds. */
const longestWait = 5;
/** Seconds after which the pages of a lost worker are given to others. */
const recovery = 15;
/** Seconds that are simulated, and from when on they are measured. */
const end = 30;
const begin = 10;

const random = seeded(20_26);
const hosts = Array.from({ length: hostCount }, (_, at) => makeHost(at));
const names = Array.from({ length: cells }, (_, at) => `cell-${at}`);

/** A host: how many pages it has, how fast it answers, how often it asks to come back later, jobs that want it. */
function makeHost(at) {
  const isSlow = random() < 0.03;
  return {
    hash: numberOf(`host-${at}.example`),
    // Pareto: the mean is about nine times the least.
    pages: Math.min(1_000_000, Math.floor(20 / (1 - random()) ** (1 / 1.1))),
    response: isSlow ? 4 : 0.2 + 0.4 * random(),
    refusals: random() < 0.02 ? 0.05 : 0,
    jobs: random() < 0.05 ? 2 : 1,
  };
}

function printBalance() {
  const ofEqual = chosenCells(names.map((name) => ({ name, weight: 1 })));
  const weights = names.map((_, at) => (at < 5 ? 2 : 1));
  const ofWeighted = chosenCells(names.map((name, at) => ({ name, weight: weights[at] })));
  const ofMore = chosenCells([...names, 'cell-50'].map((name) => ({ name, weight: 1 })));
  console.log('| hosts to cells | least | mean | most |\n| --- | ---: | ---: | ---: |');
  printRange(
    'hosts',
    sumByCell(ofEqual, () => 1),
  );
  printRange(
    'pages',
    sumByCell(ofEqual, ({ pages }) => pages),
  );
  const isLarge = ({ pages }) => pages > 100_000;
  const usual = ({ pages }) => Math.min(pages, 100_000);
  printRange('pages, 100,000 of a host at most', sumByCell(ofEqual, usual));
  const weighted = sumByCell(ofWeighted, () => 1).map((count, at) => count / (weights[at] ?? 1));
  printRange('hosts by weight, 5 cells of weight 2', weighted);
  const moved = ofMore.filter((cell, at) => cell !== ofEqual[at]).length / hostCount;
  const large = hosts.filter(isLarge);
  const total = hosts.reduce((sum, { pages }) => sum + pages, 0);
  const inLarge = large.reduce((sum, { pages }) => sum + pages, 0);
  console.log(
    `\nWith one cell more ${percent(moved)} of the hosts move (1 of 51: ${percent(1 / 51)}).`,
  );
  console.log(
    `${large.length} of ${hostCount} hosts have more than 100,000 pages, ${percent(inLarge / total)} of all: at one a second such a host takes more than ${(100_000 / 3600).toFixed(0)} hours, whatever the fleet.\n`,
  );
}

function printFleet() {
  const chosen = chosenCells(names.map((name) => ({ name, weight: 1 })));
  const results = names.map((_, cell) =>
    simulateCell(hosts.filter((_, at) => chosen[at] === cell)),
  );
  const sum = (of) => results.reduce((total, result) => total + of(result), 0);
  const rate = sum(({ pages }) => pages) / (end - begin);
  const used = sum(({ busy }) => busy) / (cells * slots * (end - begin));
  const waiting = sum((result) => result.waiting) / (cells * slots * (end - begin));
  console.log('| the fleet | |\n| --- | ---: |');
  console.log(`| workers, slots | ${cells * workersPerCell}, ${cells * slots} |`);
  console.log(`| pages/s | ${rate.toFixed(0)} |`);
  console.log(`| a billion pages | ${(1e9 / rate / 3600).toFixed(1)} h |`);
  console.log(`| slots that fetch, that wait for a host | ${percent(used)}, ${percent(waiting)} |`);
  console.log(`| gaps between requests to a host | ${sum(({ gaps }) => gaps)} |`);
  console.log(`| of them under the delay | ${sum(({ early }) => early)} |`);
  console.log('\n| of the cells | least | mean | most |\n| --- | ---: | ---: | ---: |');
  printRange(
    'pages/s',
    results.map(({ pages }) => pages / (end - begin)),
  );
  console.log('');
}

function printEffects() {
  const chosen = chosenCells(names.map((name) => ({ name, weight: 1 })));
  const own = hosts.filter((_, at) => chosen[at] === 0);
  const hot = [...own, { ...own[0], hash: 0, jobs: 1000, response: 0.3, refusals: 0 }];
  const rows = {
    'as it is': simulateCell(own),
    'one of 20 workers is lost': simulateCell(own, { lostAt: begin }),
    'a host that 1,000 jobs want': simulateCell(hot),
    'the same, no page is given back': simulateCell(hot, { mostWait: Infinity }),
    'no reservations: each job has its own pace': simulateCell(own, { reserves: false }),
  };
  console.log(
    '| one cell | pages/s | slots that fetch | that wait | given back/s | fetched twice | gaps under the delay |',
  );
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const [label, result] of Object.entries(rows)) {
    const { pages, busy, waiting, returned, twice, gaps, early } = result;
    const time = end - begin;
    const shares = [busy, waiting].map((seconds) => percent(seconds / (slots * time)));
    const figures = [(pages / time).toFixed(0), ...shares, (returned / time).toFixed(0), twice];
    console.log(`| ${[label, ...figures, percent(early / gaps)].join(' | ')} |`);
  }
}

/**
 * Runs one cell. A job has one page out at a time and sends the next one after its delay; workers take pages in
 * the order in which they came, and reserve the next turn at the host.
 */
function simulateCell(own, { mostWait = longestWait, reserves = true, lostAt = Infinity } = {}) {
  const chance = seeded(1);
  const result = { pages: 0, busy: 0, waiting: 0, returned: 0, twice: 0, gaps: 0, early: 0 };
  const states = own.map((host) => ({ ...host, last: -Infinity, closedUntil: 0 }));
  const jobs = states.flatMap((host) =>
    Array.from({ length: host.jobs }, () => ({ host, slot: -1, tries: 0 })),
  );
  const events = new EventQueue();
  for (const job of jobs) events.add({ time: begin * chance(), job, kind: 'send', tries: 0 });
  if (lostAt < end) events.add({ time: lostAt, kind: 'lose' });
  const free = Array.from({ length: slots }, (_, at) => at);
  const holders = new Array(slots);
  const queue = [];
  let head = 0;
  const count = (name, from, to) => {
    result[name] += Math.max(0, Math.min(to, end) - Math.max(from, begin));
  };

  const take = (now, job) => {
    const { host } = job;
    const start = reserves ? Math.max(now, host.closedUntil, host.last + delay) : now;
    if (start - now > mostWait) {
      if (now >= begin) result.returned += 1;
      events.add({ time: start, job, kind: 'send', tries: job.tries });
      return;
    }
    job.slot = free.pop();
    holders[job.slot] = job;
    if (start >= begin && host.last > -Infinity) {
      result.gaps += 1;
      // Less than a microsecond is the arithmetic's.
      if (start - host.last < delay - 1e-6) result.early += 1;
    }
    host.last = start;
    const done = start + host.response * (0.5 + chance());
    count('waiting', now, start);
    count('busy', start, done);
    events.add({ time: done, job, kind: 'done', tries: job.tries, start });
  };

  for (let event = events.next(); event.time < end; event = events.next()) {
    const { time: now, job, kind } = event;
    if (kind === 'lose') {
      for (let slot = 0; slot < slotsPerWorker; slot += 1) lose(now, slot);
    } else if (event.tries === job.tries) {
      if (kind === 'send') queue.push(job);
      else finish(now, event);
    }
    while (free.length > 0 && head < queue.length) take(now, queue[head++]);
  }
  return result;

  function finish(now, { job, start }) {
    const { host } = job;
    free.push(job.slot);
    job.slot = -1;
    const isRefused = chance() < host.refusals;
    if (isRefused) host.closedUntil = now + 10;
    else if (now >= begin) result.pages += 1;
    events.add({ time: Math.max(now, start + delay), job, kind: 'send', tries: job.tries });
  }

  /** The page in a slot is visited again, by another worker. */
  function lose(now, slot) {
    const at = free.indexOf(slot);
    if (at >= 0) return void free.splice(at, 1);
    const job = holders[slot];
    job.tries += 1;
    result.twice += 1;
    events.add({ time: now + recovery, job, kind: 'send', tries: job.tries });
  }
}

/** Events by time: a binary heap. */
class EventQueue {
  #heap = [];

  add(event) {
    const heap = this.#heap;
    const { time } = event;
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (heap[above].time <= time) break;
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = event;
  }

  next() {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0) return first;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      if (below + 1 < heap.length && heap[below + 1].time < heap[below].time) below += 1;
      if (heap[below].time >= last.time) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

/** The place of each host's cell: the cell with the highest score. */
function chosenCells(weighted) {
  const scores = weighted.map(({ name, weight }) => ({ hash: numberOf(name), weight }));
  return hosts.map((host) => {
    let best = 0;
    let highest = -Infinity;
    scores.forEach(({ hash, weight }, at) => {
      const score = -weight / Math.log((mix(host.hash ^ hash) + 1) / 4_294_967_297);
      if (score > highest) [best, highest] = [at, score];
    });
    return best;
  });
}

function sumByCell(chosen, of) {
  const sums = names.map(() => 0);
  chosen.forEach((cell, at) => (sums[cell] += of(hosts[at])));
  return sums;
}

function printRange(label, values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const figures = [Math.min(...values), mean, Math.max(...values)];
  console.log(`| ${[label, ...figures.map((value) => value.toFixed(0))].join(' | ')} |`);
}

function percent(share) {
  return `${(100 * share).toFixed(2)} %`;
}

function numberOf(name) {
  return createHash('sha256').update(name).digest().readUInt32LE();
}

/** Spreads the bits of a number: the last step of MurmurHash3. */
function mix(number) {
  let bits = number;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Numbers from 0 up to 1 out of a 32-bit counter. */
function seeded(seed) {
  let state = seed;
  return () => mix((state = (state + 0x9e3779b9) | 0)) / 4_294_967_296;
}

printBalance();
printFleet();
printEffects();
