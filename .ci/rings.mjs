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
const fileSeconds = 15;
/** What CI adds to ring 1 takes no more than this, summed over all workers. */
const extraSeconds = 900;

/** Slow tests that the rules would leave to ring 2, by file and name: each meets a defence or a promise of its own. */
const always = [];

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
        const isFirst = (stands && at === 0) || always.some((one) => one.test(idOf(test)));
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
