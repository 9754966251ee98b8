/** An error as stderr shows it. */
import { CommanderError } from 'commander';
import { PagewrightError, type PlainError } from '../index.ts';

/**
 * `CODE: message`, or one line of JSON, `{ "error": { code, message, … } }`
 * with what the error says of itself (`toJSON`).
 * Undefined for what is no failure: help and version are thrown by commander, too.
 */
export function describeError(error: unknown, asJson: boolean): string | undefined {
  if (error instanceof CommanderError && isHelp(error)) return undefined;
  const facts = factsOf(error);
  return asJson ? JSON.stringify({ error: facts }) : `${facts.code}: ${facts.message}`;
}

/** `PlainError` of the library, or the code of a failure that is not one of its errors. */
type ErrorFacts = Omit<PlainError, 'name' | 'code'> & { readonly code: string };

function isHelp({ code }: CommanderError): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code);
}

function factsOf(error: unknown): ErrorFacts {
  if (error instanceof CommanderError) {
    return { code: 'BAD_REQUEST', message: error.message.replace(/^error: /, '') };
  }
  if (error instanceof PagewrightError) {
    const { name: _, code, message, ...facts } = error.toJSON();
    return { code, message: forCommandLine(message), ...facts };
  }
  // Not thrown on purpose: a defect, or the operating system.
  return { code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) };
}

/** Advice for callers of the library, in the words of a command line. */
export function forCommandLine(message: string): string {
  return message
    .replace(/createClient\(\{ network: \{ allow: \['(.*)'\] \} \}\)/, '--allow $1')
    .replace('createClient({ network: { deny } })', '--deny')
    .replace('createClient({ proxy })', '--proxy')
    .replace("proxy: 'stealth'", '--stealth')
    .replace("errorPages: 'keep'", '--error-pages keep')
    .replace('ignoreRobotsTxt: true', '--ignore-robots-txt');
}

/** A warning of a job with its options in the words of a command line. */
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
function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
