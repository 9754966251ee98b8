// A vitest reporter: what `.ci/test.mjs` counts and names, as JSON in the file `PAGEWRIGHT_TEST_REPORT`.
import { writeFileSync } from 'node:fs';

export default class VitestReport {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state) => tests.filter((test) => test.result().state === state);
    const broken = modules.filter((module) => module.errors().length > 0);
    writeFileSync(
      process.env.PAGEWRIGHT_TEST_REPORT ?? 'vitest-report.json',
      JSON.stringify({
        passed: inState('passed').length,
        problems: [
          ...inState('failed').map(
            (test) => `test: ${test.module.relativeModuleId}: ${test.fullName}`,
          ),
          ...broken.map((module) => `test file: ${module.relativeModuleId}`),
          ...unhandledErrors.map(
            ({ name, message }) => `an error that no test caught: ${name}: ${message}`,
          ),
        ],
        seconds: Object.fromEntries(
          modules.map((module) => {
            const { duration, collectDuration } = module.diagnostic();
            return [module.relativeModuleId, (duration + collectDuration) / 1000];
          }),
        ),
      }),
    );
  }
}
