/** Runs a command line and returns its exit code: throws no error and does not end the process. */
import { Command } from 'commander';
import { addBatchCommand } from './batch-command.ts';
import { describeError, ExitCode, exitCodeOf } from './command-errors.ts';
import { addCrawlCommand } from './crawl-command.ts';
import { addExportCommand } from './export-command.ts';
import { addExtractCommand } from './extract-command.ts';
import { addFleetCommand } from './fleet-command.ts';
import { addMapCommand } from './map-command.ts';
import { ClosedOutput, writeNotice } from './output.ts';
import { addScrapeCommand } from './scrape-command.ts';
import { addWorkerCommand } from './worker-command.ts';
import { packageVersion } from '../text/package-version.ts';

/** Runs one command. `words` are the arguments after the program's name. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  // A closed pipe rejects each write; without listeners its error event would be thrown as well.
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
    if (message !== undefined) writeNotice(message);
    return exitCodeOf(error);
  }
}

// The commands of the program, with help and version.

/** Makes the program; a finished command passes its exit code to `finish`. */
function createProgram(finish: (exitCode: number) => void): Command {
  const program = new Command('pagewright')
    .description('Turns web pages into clean markdown and data.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .configureHelp({ showGlobalOptions: false })
    .addHelpText('after', helpText);
  addScrapeCommand(program, finish);
  addCrawlCommand(program, finish);
  addBatchCommand(program, finish);
  addMapCommand(program, finish);
  addExtractCommand(program, finish);
  addExportCommand(program, finish);
  addWorkerCommand(program, finish);
  addFleetCommand(program, finish);
  return program;
}

const helpText = `
Examples:
  pagewright scrape https://example.com
  pagewright crawl https://example.com/docs/ --limit 100 --output docs
  pagewright map https://example.com | grep /blog/
  pagewright extract https://example.com/lamp --schema product.json
  pagewright <command> --help

Exit codes:
  0    done
  1    failed; stderr has "CODE: message", or a line of JSON with --json
  2    wrong command or options; nothing was fetched
  3    crawl or batch: done, and pages failed; with --no-strict that is 0
  130  interrupted; what was done until then is there

Private and loopback addresses are refused unless --allow names them.
`;
