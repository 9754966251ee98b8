/** Errors on the command line: their text on stderr, the exit code, and Ctrl-C. */
import { CommanderError } from 'commander';
import { PagewrightError } from '../../index.ts';
import { nearestName } from '../../core/checks/option-errors.ts';
import type { PlainError } from '../../core/runtime/errors.ts';

/**
 * The code, the message and the properties of an error (`toJSON`). Undefined for help and version, which
 * commander throws, too. `flags`: the options of the command.
 */
export function describeError(error: unknown, flags: readonly string[]): ErrorFacts | undefined {
  return error instanceof CommanderError && isHelp(error) ? undefined : factsOf(error, flags);
}

/** `PlainError` of the library, or the code of an error of another class. */
type ErrorFacts = Omit<PlainError, 'name' | 'code'> & { readonly code: string };

function isHelp({ code }: CommanderError): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code);
}

function factsOf(error: unknown, flags: readonly string[]): ErrorFacts {
  if (error instanceof CommanderError) {
    return { code: 'BAD_REQUEST', message: usageMessage(error, flags) };
  }
  if (error instanceof PagewrightError) {
    const { name: _, code, message, ...facts } = error.toJSON();
    return { code, message: forCommandLine(message), ...facts };
  }
  // Not thrown on purpose: a bug, or an error of the operating system.
  return { code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) };
}

/** The problem of a command line. */
function usageMessage({ code, message }: CommanderError, flags: readonly string[]): string {
  const [, flag] = /^error: unknown option '([^']*)'/.exec(message) ?? [];
  if (flag !== undefined) {
    const meant = nearestFlag(flag, flags);
    return `unknown option '${flag}'${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  }
  const [, word] = /^error: unknown command '([^']*[./][^']*)'/.exec(message) ?? [];
  return code === 'commander.unknownCommand' && word !== undefined
    ? `a command is missing: did you mean "pagewright scrape ${word}"?`
    : message.replace(/^error: /, '');
}

/** The flag with the words of the given one (`--max-depth`, `--skip`), or the one that is spelt most like it. */
function nearestFlag(given: string, flags: readonly string[]): string | undefined {
  const words = given.split('-').filter(Boolean);
  const hasAll = (flag: string): boolean =>
    words.every((word) => flag.split('-').some((one) => one.startsWith(word)));
  return nearestName(given, flags) ?? flags.find(hasAll);
}

/** Rewrites advice for callers of the library with the options of the command line. */
export function forCommandLine(message: string): string {
  return message
    .replace(/createClient\(\{ network: \{ allow: \['(.*)'\] \} \}\)/, '--allow $1')
    .replace(/createClient\(\{ network: \{ only: \[\.\.\., '(.*)'\] \} \}\)/, '--hosts $1')
    .replace('createClient({ network: { deny } })', '--deny')
    .replace('createClient({ proxy })', '--proxy')
    .replace('createWebTools({ budget })', '--budget')
    .replace('createClient({ model })', '--model <provider:name>')
    .replace('createClient({ storage })', '--store <place>')
    .replace('client.jobs.list() lists', 'pagewright jobs --store <place> lists')
    .replace("proxy: 'stealth'", '--stealth')
    .replace("errorPages: 'keep'", '--error-pages keep')
    .replace('ignoreRobotsTxt: true', '--ignore-robots-txt');
}

/** Rewrites the options in a warning of a job as options of the command line. */
export function warningForCommandLine(warning: string): string {
  return warning
    .replace(
      /\b(crawlEntireDomain|allowSubdomains|allowExternalLinks|ignoreRobotsTxt): true/g,
      (_, name: string) => flagOf(name),
    )
    .replace(
      /\b(sitemap|engine|deduplicateContent): '(\w+)'/g,
      (_, name: string, value: string) => `${flagOf(name)} ${value}`,
    )
    .replace(/\b(includePaths|excludePaths|maxDiscoveryDepth)\b/g, flagOf);
}

/** `crawlEntireDomain` as `--crawl-entire-domain`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

// The meaning of the process's exit code.

/** The exit codes; `pagewright --help` lists them. */
export const ExitCode = {
  success: 0,
  /** The work failed; stderr has the error. */
  failure: 1,
  /** The command or its options are wrong; nothing was fetched. */
  usage: 2,
  /** `crawl` and `batch`: the job ended, and pages failed. */
  failedPages: 3,
  /** `monitor --once --exit-code`: the digest has news. */
  changed: 4,
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
      return ExitCode.usage;
    case 'CANCELLED':
      return ExitCode.interrupted;
    default:
      return ExitCode.failure;
  }
}

// Ctrl-C, or another signal: once to stop the work, twice to end at once.

/** Calls `stop` at the first of the signals; the second ends the process. Disposing removes the handler. */
export function onInterrupt(
  stop: () => void,
  signals: readonly NodeJS.Signals[] = ['SIGINT'],
): Disposable {
  let interrupted = false;
  const listener = (): void => {
    if (interrupted) process.exit(ExitCode.interrupted);
    interrupted = true;
    stop();
  };
  for (const signal of signals) process.on(signal, listener);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
