/** The order of test files: those that take longest come first, so that no worker is left with one at the end. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { leftOut } from './left-out.ts';

/** Seconds of files without their slow tests, and of these by mechanism and name. */
interface Times {
  readonly files: Readonly<Record<string, number>>;
  readonly slow: Readonly<Record<string, readonly Readonly<Record<string, number>>[]>>;
}

const { files, slow } = JSON.parse(
  readFileSync(new URL('../times.json', import.meta.url), 'utf8'),
) as Times;

export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId, project }: TestSpecification): number =>
      secondsOf(relative(project.config.root, moduleId).replaceAll('\\', '/'));
    // Files of a project stay together, as vitest has them: those that share a process come last.
    const sorted = await super.sort(specifications);
    const order = [...new Set(sorted.map(({ project }) => project))];
    return order.flatMap((project) =>
      sorted
        .filter((specification) => specification.project === project)
        .sort((a, b) => seconds(b) - seconds(a)),
    );
  }
}

function secondsOf(file: string): number {
  const names = new Set(leftOut.tests[file]);
  const slowOnes = (slow[file] ?? [])
    .flatMap((cases) => Object.entries(cases))
    .filter(([name]) => !names.has(name));
  return slowOnes.reduce((sum, [, seconds]) => sum + seconds, files[file] ?? 0);
}
