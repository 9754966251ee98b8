/** From the words of a command line to an exit code: nothing is thrown and nothing ends the process. */
import { exitCodeOf, ExitCode } from './exit-code.ts';
import { notice } from './notice.ts';
import { ClosedOutput } from './output.ts';
import { createProgram } from './program.ts';
import { describeError } from './describe-error.ts';

/** Runs one command. `words` are those after the program's name. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  // A reader that went away is told to each write; without listeners it would be thrown as well.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);

  let exitCode: number = ExitCode.success;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof ClosedOutput) return ExitCode.success;
    const message = describeError(error, words.includes('--json'));
    if (message !== undefined) notice(message);
    return exitCodeOf(error);
  }
}
