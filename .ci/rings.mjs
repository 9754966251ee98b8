// The two rings of the tests. Ring 1 is `npm test`: all quick tests and, of the slow ones, one case of each
// mechanism. Ring 2 is the rest; `npm run test:deep` runs both. CI adds to ring 1 slow tests of the rooms that
// the last day of commits changed, and a tenth of the others, another one each time.
//
// `test/times.json` has the slow tests with their seconds, as `npm run test:times` writes them: a test that
// it does not know is quick. A call of `test` or `test.each` is one mechanism, whatever the number of its
// cases, and the cheapest case stands for it, if that does not take long. A file of which the tests need long to
// begin is left whole.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { root } from './checks.mjs';

/** Ring 1 has no case that takes longer, but for the first one of a file and those that `always` names. */
const caseSeconds = 2.5;
/** The first one of a file, if all take longer. */
const firstSeconds = 6;
/** Ring 1 has no file whose tests need longer to begin, unless `always` names it. */
const preparationSeconds = 10;
/** What CI adds to ring 1 takes no more than this, summed over all workers. */
const extraSeconds = 900;

/** Files and slow tests that the rules may leave to ring 2: each meets a promise of README by itself. */
const always = new Set([
  'test/acceptance/browser-actions.test.ts > actions > run in order, each on what the one before left, with exact values',
  'test/acceptance/browser-basics.test.ts > scrape 1: golden bytes in a browser > the markdown is that of plain HTTP, each time, and the server sees one request each',
  'test/acceptance/browser-formats.test.ts > screenshot > is what the window shows, as a PNG of a pixel per CSS pixel',
  'test/acceptance/browser-profiles.test.ts > a profile > is nobody else: not another name, not a scrape without one, not another client',
  "test/acceptance/browser-refusals.test.ts > proxy: 'auto' > passes a challenge with a browser, which plain HTTP and stealth HTTP do not",
  'test/acceptance/browser-sessions.test.ts > a session > is held to the network policy, wherever it is led',
  'test/acceptance/cache.test.ts > zeroDataRetention > leaves no trace of a page: not in the store, on the disk, in the temporary folder or in the log',
  'test/acceptance/crawl.test.ts > crawl 2: the exact limit, with 30 % failing and 20 % excluded pages > keeps the same pages in the same order at any concurrency',
  'test/acceptance/crawl.test.ts > crawl reads the fixture sites completely > blog from /',
  'test/acceptance/packed.test.ts',
  'test/acceptance/politeness.test.ts > Crawl-delay > is kept at the host whose robots.txt has it, while all pages of another host come',
  'test/acceptance/recipes.test.ts > learned recipes > read 100 pages of one template for at most two calls, all leaves equal to gold',
  'test/acceptance/same-engines.test.ts > crawl 3: the same twice, with a browser > gives each time the same JSONL, and the same with fewer pages at a time',
  'test/acceptance/scrape.test.ts > scrape 1: golden bytes > gives the committed markdown, 100 times, with one request each',
  'test/browser/act/act.test.ts > a purchase is refused, and nothing is clicked; allowed, it is done',
  'test/browser/act/act.test.ts > values of variables are seen by the page alone',
  'test/architecture.test.ts',
  'test/entries/cli/crawl-command.test.ts > --output > mirrors the site as markdown files with a YAML head, and writes nothing else',
  'test/entries/cli/crawl-command.test.ts > Ctrl-C > once stops the crawl; what is done stays, and the exit code is 130',
  'test/core/jobs/matrix/matrix.test.ts > a job gives the same documents, numbers and events at any speed > crawl in fleet',
  'test/durability/damaged-files.test.ts > of a crawl that is half done > visits that are cut, garbled or gone are fetched again, and nothing else',
  'test/durability/killed-crawl.test.ts',
  'test/durability/killed-crawl.test.ts > killed again and again on files it gives what it gives when it is left alone',
  'test/browser/chromium/flooding-tabs.test.ts > a visit ends with PARSE_LIMIT',
  'test/browser/chromium/hostile-pages-network.test.ts > a page > reaches nobody whom the network policy does not allow',
  'test/browser/chromium/isolation.test.ts > a visit > finds nothing of the one before in the same tab',
  'test/entries/fleet/fleet.test.ts > pages of workers that are killed are visited by others: none is lost, none is twice',
  'test/entries/fleet/forged-messages.test.ts > results that somebody forges change nothing',
  'test/hostile/callers-browser.test.ts',
  'test/public-api.test.ts > the built package, imported by its name > CommonJS gets the same values through require',
]);

/** The slow tests, each with its ring, by the seconds of `test/times.json`; a file that is left whole has no name. */
export function slowTests({ files, preparation, slow }) {
  const names = Object.keys({ ...preparation, ...slow }).sort();
  return names.flatMap((file) => {
    if ((preparation[file] ?? 0) <= preparationSeconds || always.has(file)) {
      return slowTestsOf(file, slow[file] ?? []);
    }
    const cases = (slow[file] ?? []).flatMap((mechanism) => Object.values(mechanism));
    return [{ file, seconds: (files[file] ?? 0) + sumOf(cases), ring: 2 }];
  });
}

function slowTestsOf(file, mechanisms) {
  const byCost = mechanisms
    .map((mechanism) => ({
      mechanism,
      cases: Object.entries(mechanism).sort(([, a], [, b]) => a - b),
    }))
    .sort((a, b) => a.cases[0][1] - b.cases[0][1]);
  return byCost.flatMap(({ mechanism, cases }, position) =>
    cases.map(([name, seconds], at) => {
      const test = { file, mechanism, name, seconds };
      const stands = at === 0 && seconds <= (position === 0 ? firstSeconds : caseSeconds);
      return { ...test, ring: stands || always.has(idOf(test)) ? 1 : 2 };
    }),
  );
}

/** The tests of ring 2 that CI runs this time: `part` is such as '3/10'. */
export function extraTests(second, part) {
  const rooms = changedRooms();
  const [number, parts] = part.split('/').map(Number);
  const isTouched = ({ file }) => rooms.has(roomOf(file));
  const isInPart = (test) => hash(idOf(test)) % parts === number - 1;
  // Where they are too many, each run takes others.
  const turn = (test) => hash(`${part} ${idOf(test)}`);
  let sum = 0;
  return second
    .filter((test) => isTouched(test) || isInPart(test))
    .sort((a, b) => Number(isTouched(b)) - Number(isTouched(a)) || turn(a) - turn(b))
    .filter(({ seconds }) => {
      if (sum + seconds > extraSeconds) return false;
      sum += seconds;
      return true;
    });
}

/** The rooms of files: `core/jobs` for src/core/jobs/… and test/core/jobs/…, and 'acceptance' for the calls. */
export function roomsOf(files) {
  return new Set(
    files.flatMap((file) => {
      const [folder, name = '', inside] = file.split('/');
      if (folder === 'test') return [roomOf(file)];
      if (folder !== 'src') return [];
      return inside === undefined ? [name.replace(/\.ts$/, ''), 'acceptance'] : [roomOf(file)];
    }),
  );
}

/** The folder below `src` or `test`, and the one in it where there is one. */
export function roomOf(file) {
  const [, folder, inner, ...rest] = file.replace(/(?:\.test)?\.ts$/, '').split('/');
  return rest.length > 0 ? `${folder}/${inner}` : folder;
}

/** Rooms that the commits of the day before the last one changed; none in a clone without them. */
function changedRooms() {
  try {
    const day = 24 * 60 * 60;
    const before = Number(git('log', '-1', '--format=%ct')) - day;
    const base = git('rev-list', '-1', '--first-parent', `--before=${before}`, 'HEAD').trim();
    return base === '' ? new Set() : roomsOf(git('diff', '--name-only', base).split('\n'));
  } catch {
    return new Set();
  }
}

function idOf({ file, name }) {
  return name === undefined ? file : `${file} > ${name}`;
}

function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function hash(text) {
  return createHash('sha256').update(text).digest().readUInt32BE();
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' });
}
