// A vitest reporter: what `.ci/test.mjs` counts and names, as JSON in the file `PAGEWRIGHT_TEST_REPORT`.
import { writeFileSync } from 'node:fs';

/** Characters of a test's name at most. Names that print their values can grow to megabytes. */
const nameLength = 20_000;

export default class VitestReport {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed');
    const failed = tests.filter((test) => test.result().state === 'failed');
    const broken = modules.filter((module) => module.errors().length > 0);
    writeFileSync(
      process.env.PAGEWRIGHT_TEST_REPORT ?? 'vitest-report.json',
      JSON.stringify({
        passed: passed.length,
        skipped: tests.length - passed.length - failed.length,
        problems: [
          ...failed.map((test) => `test: ${test.module.relativeModuleId}: ${test.fullName}`),
          ...tests
            .filter(({ fullName }) => fullName.length > nameLength)
            .map(({ module, fullName }) => {
              const start = fullName.slice(0, 100);
              return `a name of ${fullName.length} characters: ${module.relativeModuleId}: ${start}…`;
            }),
          ...broken.map((module) => `test file: ${module.relativeModuleId}`),
          ...unhandledErrors.map(
            ({ name, message }) => `an error that no test caught: ${name}: ${message}`,
          ),
        ],
        files: modules.map((module) => {
          const { duration, collectDuration } = module.diagnostic();
          return {
            file: module.relativeModuleId,
            seconds: (duration + collectDuration) / 1000,
            tests: [...module.children.allTests()].map(timeOf),
          };
        }),
      }),
    );
  }
}

/** A test that did not run has no seconds. */
function timeOf(test) {
  const seconds = (test.diagnostic()?.duration ?? 0) / 1000;
  return {
    name: test.fullName,
    line: test.location?.line,
    ...(test.result().state === 'passed' && { seconds }),
  };
}
