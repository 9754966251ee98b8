/** What the process's exit code says. */
import { CommanderError } from 'commander';
import { PagewrightError } from '../index.ts';

/** The exit codes; `pagewright --help` lists them. */
export const ExitCode = {
  success: 0,
  /** The work failed; stderr has the error. */
  failure: 1,
  /** The command or its options are wrong; nothing was fetched. */
  usage: 2,
  /** `crawl` and `batch`: the job ended, and pages failed. */
  failedPages: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** The exit code after an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? ExitCode.success : ExitCode.usage;
  if (!(error instanceof PagewrightError)) return ExitCode.failure;
  switch (error.code) {
    case 'BAD_REQUEST':
    case 'INVALID_URL':
    case 'UNSUPPORTED_OPTION':
      return ExitCode.usage;
    case 'CANCELLED':
      return ExitCode.interrupted;
    default:
      return ExitCode.failure;
  }
}
