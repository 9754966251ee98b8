/** The commands together, with help and version. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addBatchCommand } from './batch-command.ts';
import { addCrawlCommand } from './crawl-command.ts';
import { addExportCommand } from './export-command.ts';
import { addExtractCommand } from './extract-command.ts';
import { addMapCommand } from './map-command.ts';
import { addScrapeCommand } from './scrape-command.ts';

/** Makes the program; a command that ran tells its exit code to `finish`. */
export function createProgram(finish: (exitCode: number) => void): Command {
  const program = new Command('pagewright')
    .description('Turns web pages into clean markdown and data.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .configureHelp({ showGlobalOptions: false })
    .addHelpText('after', help);
  addScrapeCommand(program, finish);
  addCrawlCommand(program, finish);
  addBatchCommand(program, finish);
  addMapCommand(program, finish);
  addExtractCommand(program, finish);
  addExportCommand(program, finish);
  return program;
}

/** The package's root is two folders up from here, in the source as in the build. */
function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

const help = `
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
