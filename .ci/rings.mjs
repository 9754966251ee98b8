// The two rings of the tests. Ring 1 is `npm test`: all quick tests and, of the slow ones, one case of each
// mechanism. Ring 2 is the rest; `npm run test:deep` runs both. CI adds to ring 1 slow tests of the rooms that
// the last day of commits changed, and a tenth of the others, another one each time.
//
// `test/times.json` has the slow tests with their seconds, as `npm run test:times` writes them: a test that
// it does not know is quick. A call of `test` or `test.each` is one mechanism, whatever the number of its
// cases, and the cheapest case stands for it. A file's mechanisms are taken cheapest first, up to `fileSeconds`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { root } from './checks.mjs';

/** Ring 1 gives the slow tests of one file no more than this; the cheapest runs in any case. */
const fileSeconds = 5;
/** What CI adds to ring 1 takes no more than this, summed over all workers. */
const extraSeconds = 900;

/** Slow tests that the rules may leave to ring 2, by file and name: each meets a promise of README by itself. */
const always = new Set([
  'test/acceptance/browser-actions.test.ts > actions > run in order, each on what the one before left, with exact values',
  'test/acceptance/browser-formats.test.ts > screenshot > is what the window shows, as a PNG of a pixel per CSS pixel',
  'test/acceptance/browser-profiles.test.ts > a profile > is nobody else: not another name, not a scrape without one, not another client',
  'test/acceptance/browser-sessions.test.ts > a session > is held to the network policy, wherever it is led',
  'test/acceptance/cache.test.ts > zeroDataRetention > leaves no trace of a page: not in the store, on the disk, in the temporary folder or in the log',
  'test/acceptance/same-engines.test.ts > crawl 3: the same twice, with a browser > gives each time the same JSONL, and the same with fewer pages at a time',
  'test/acceptance/scrape.test.ts > scrape 1: golden bytes > gives the committed markdown, 100 times, with one request each',
  'test/actions/act/act.test.ts > a purchase is refused, and nothing is clicked; allowed, it is done',
  'test/actions/act/act.test.ts > values of variables are seen by the page alone',
  'test/cli/crawl-command.test.ts > --output > mirrors the site as markdown files with a YAML head, and writes nothing else',
  'test/cli/crawl-command.test.ts > Ctrl-C > once stops the crawl; what is done stays, and the exit code is 130',
  'test/durability/damaged-files.test.ts > of a crawl that is half done > visits that are cut, garbled or gone are fetched again, and nothing else',
  'test/engines/browser/flooding-tabs.test.ts > a visit ends with PARSE_LIMIT',
  'test/fleet/fleet.test.ts > pages of workers that are killed are visited by others: none is lost, none is twice',
]);

/** The slow tests, each with its ring, by the seconds of `test/times.json`. */
export function slowTests({ slow }) {
  return Object.entries(slow).flatMap(([file, mechanisms]) => {
    const byCost = mechanisms
      .map((mechanism) => ({
        mechanism,
        cases: Object.entries(mechanism).sort(([, a], [, b]) => a - b),
      }))
      .sort((a, b) => a.cases[0][1] - b.cases[0][1]);
    let sum = 0;
    return byCost.flatMap(({ mechanism, cases }, position) => {
      sum += cases[0][1];
      const stands = position === 0 || sum <= fileSeconds;
      return cases.map(([name, seconds], at) => {
        const test = { file, mechanism, name, seconds };
        const isFirst = (stands && at === 0) || always.has(idOf(test));
        return { ...test, ring: isFirst ? 1 : 2 };
      });
    });
  });
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

/** The rooms of files: folders of `src` and of `test`, and 'acceptance' for the verbs. */
export function roomsOf(files) {
  return new Set(
    files.flatMap((file) => {
      const [folder, room = '', inside] = file.split('/');
      if (folder === 'test') return [roomOf(file)];
      if (folder !== 'src') return [];
      return inside === undefined ? [room.replace(/\.ts$/, ''), 'acceptance'] : [room];
    }),
  );
}

export function roomOf(testFile) {
  return testFile.split('/')[1].replace(/\.test\.ts$/, '');
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
  return `${file} > ${name}`;
}

function hash(text) {
  return createHash('sha256').update(text).digest().readUInt32BE();
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' });
}
