/** Runs a command line and returns its exit code: throws no error and does not end the process. */
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { Command, Option } from 'commander';
import { addBatchCommand } from './batch-command.ts';
import { describeError, ExitCode, exitCodeOf } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { addCompletionCommand } from './completion-command.ts';
import { loadConfig } from './config-file.ts';
import { addCrawlCommand } from './crawl-command.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addExportCommand } from './export-command.ts';
import { addExtractCommand } from './extract-command.ts';
import { addFleetCommand } from './fleet-command.ts';
import { addJobsCommand } from './jobs-command.ts';
import { Log, type LogValues } from './log.ts';
import { addMapCommand } from './map-command.ts';
import { ClosedOutput } from './output.ts';
import { addMcpCommand } from './mcp-command.ts';
import { addOpenCommand } from './open-command.ts';
import { addMonitorCommand } from './monitor-command.ts';
import { addPlanCommand } from './plan-command.ts';
import { addResumeCommand } from './resume-command.ts';
import { addScrapeCommand } from './scrape-command.ts';
import { addSearchCommand } from './search-command.ts';
import { addShellCommand } from './shell-command.ts';
import { moreHelp, shortHelp } from './short-help.ts';
import { addWorkerCommand } from './worker-command.ts';
import type { ClientOptions } from '../../index.ts';
import { packageVersion } from '../../core/runtime/package-version.ts';

/** Runs one command. `words` are the arguments after the program's name. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  // A closed pipe rejects each write; without listeners its error event would be thrown as well.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);

  const log = new Log(process.stderr);
  // stdout is the result of the command, or its protocol: packages and config files log to stderr.
  globalThis.console = new Console(
    new Writable({
      write: (chunk, _, done) => {
        log.print(String(chunk));
        done();
      },
    }),
  );
  log.configure(logValuesIn(words));
  let exitCode: number = ExitCode.success;
  const program = createProgram(words, log, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof ClosedOutput) return ExitCode.success;
    const facts = describeError(error, flagsOf(program, words));
    if (facts !== undefined) log.error(facts);
    return exitCodeOf(error);
  }
}

/** The long names of the options of the command in `words`. */
function flagsOf({ commands, options }: Command, words: readonly string[]): string[] {
  const command = commands.find((one) => words.includes(one.name()));
  return [...(command?.options ?? []), ...options].flatMap(({ long }) => long ?? []);
}

/** The options of the log, for errors in the others. */
function logValuesIn(words: readonly string[]): LogValues {
  const isJson = words.some(
    (word, at) =>
      /^--(?:json|log=json)$/.test(word) || (word === '--log' && words[at + 1] === 'json'),
  );
  return {
    json: isJson,
    ...(words.includes('--no-color') ? { color: false } : {}),
    ...(words.includes('--color') ? { color: true } : {}),
  };
}

// The commands of the program, with help and version.

const mostColumns = 100; // columns of the help

/** Options of every command. */
interface ProgramValues {
  /** A file; false for none. */
  readonly config?: string | false;
}

/** Makes the program; a finished command passes its exit code to `finish`. */
function createProgram(
  words: readonly string[],
  log: Log,
  finish: (exitCode: number) => void,
): Command {
  const program = new Command('pagewright')
    .description('Turns web pages into clean markdown and data.')
    .usage('<command> [options]')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      outputError: () => undefined,
      // Longer lines are hard to read; a pipe has no width.
      getOutHelpWidth: () => Math.min(process.stdout.columns || mostColumns, mostColumns),
      getErrHelpWidth: () => Math.min(process.stderr.columns || mostColumns, mostColumns),
    })
    .configureHelp(shortHelp(words))
    .addOption(
      new Option('--log <format>', 'write stderr as text (default) or as lines of JSON').choices([
        'text',
        'json',
      ]),
    )
    .addOption(
      new Option(
        '--log-level <level>',
        'warn (default), info for jobs, or debug for requests, retries and pages, too',
      ).choices(['debug', 'info', 'warn']),
    )
    .option('--color', 'always use colours, regardless of NO_COLOR and the terminal')
    .option('--no-color', 'use no colours')
    .option(
      '--config <file>',
      'read options from this file instead of pagewright.config.{ts,mts,js,mjs}',
    )
    .option('--no-config', 'do not read a config file')
    .addHelpText('after', helpText)
    .addHelpText('afterAll', moreHelp(words));
  program.hook('preAction', (_, command) => {
    log.configure(command.optsWithGlobals());
    unsetDefaults(command);
  });
  let config: Promise<ClientOptions> | undefined;
  const run: CommandRun = {
    log,
    finish,
    config: () => (config ??= loadConfig(program.opts<ProgramValues>().config)),
    optionsFor: (name) => {
      const { options = [] } = program.commands.find((command) => command.name() === name) ?? {};
      return optionsAmong(words, [...options, ...program.options]);
    },
  };
  program.commandsGroup('Pages:');
  addScrapeCommand(program, run);
  addCrawlCommand(program, run);
  addBatchCommand(program, run);
  addMapCommand(program, run);
  addSearchCommand(program, run);
  addPlanCommand(program, run);
  addExtractCommand(program, run);
  addOpenCommand(program, run);
  addShellCommand(program, run);
  addMonitorCommand(program, run);
  program.commandsGroup('Jobs:');
  addJobsCommand(program, run);
  addResumeCommand(program, run);
  addExportCommand(program, run);
  program.commandsGroup('Workers:');
  addWorkerCommand(program, run);
  addFleetCommand(program, run);
  program.commandsGroup('Agents:');
  addMcpCommand(program, run);
  program.commandsGroup('This program:');
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('show the options of a command')
      .helpGroup('This program:'),
  );
  addDoctorCommand(program, run);
  addCompletionCommand(program, run);
  return program;
}

/** These options and their values among the words of a command line. */
function optionsAmong(words: readonly string[], options: readonly Option[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length && words[at] !== '--'; at += 1) {
    const word = words[at] ?? '';
    const [flag] = word.split('=', 1);
    const option = options.find(({ long, short }) => flag === long || flag === short);
    if (option === undefined) continue;
    found.push(word);
    const next = words[at + 1];
    const takesNext = option.required || (option.optional && next?.startsWith('-') === false);
    if (word === flag && takesNext && next !== undefined) found.push(words[(at += 1)] ?? '');
  }
  return found;
}

/** `--no-…` options default to true, which would override the config file. */
function unsetDefaults(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (option.negate && command.getOptionValueSource(name) === 'default') {
      command.setOptionValueWithSource(name, undefined, 'default');
    }
  }
}

const helpText = `
Examples:
  pagewright scrape https://example.com
  pagewright crawl https://example.com/docs/ --limit 100 --output docs
  pagewright map https://example.com | grep /blog/
  pagewright extract https://example.com/lamp --schema product.json
  pagewright help crawl

Exit codes:
  0  done    1  failed; stderr says why    2  wrong options, nothing was fetched
  3  crawl, batch, resume: done, but pages failed    130  interrupted
  4  monitor --once --exit-code: there is news
Private and loopback addresses are refused unless --allow names them.
Guide: node_modules/pagewright/docs/command-line.md
`;
