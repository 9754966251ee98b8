/** An error as stderr shows it. */
import { CommanderError } from 'commander';
import { ExtractError, PagewrightError, ValidationError } from '../index.ts';

/**
 * `CODE: message`, or one line of JSON, `{ "error": { code, message, url?, issues? } }`.
 * Undefined for what is no failure: help and version are thrown by commander, too.
 */
export function describeError(error: unknown, asJson: boolean): string | undefined {
  if (error instanceof CommanderError && isHelp(error)) return undefined;
  const facts = factsOf(error);
  return asJson ? JSON.stringify({ error: facts }) : `${facts.code}: ${facts.message}`;
}

interface ErrorFacts {
  readonly code: string;
  readonly message: string;
  readonly url?: string;
  readonly issues?: ValidationError['issues'];
}

function isHelp({ code }: CommanderError): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code);
}

function factsOf(error: unknown): ErrorFacts {
  if (error instanceof CommanderError) {
    return { code: 'BAD_REQUEST', message: error.message.replace(/^error: /, '') };
  }
  if (error instanceof PagewrightError) {
    const { code, message, url } = error;
    return {
      code,
      message: forCommandLine(message),
      ...(url === undefined ? {} : { url }),
      ...(error instanceof ValidationError || error instanceof ExtractError
        ? { issues: error.issues }
        : {}),
    };
  }
  // Not thrown on purpose: a defect, or the operating system.
  return { code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) };
}

/** Advice for callers of the library, in the words of a command line. */
function forCommandLine(message: string): string {
  return message
    .replace(/createClient\(\{ network: \{ allow: \['(.*)'\] \} \}\)/, '--allow $1')
    .replace('createClient({ network: { deny } })', '--deny')
    .replace('createClient({ proxy })', '--proxy')
    .replace("proxy: 'stealth'", '--stealth')
    .replace(/skipTlsVerification: true accepts/, 'without --no-skip-tls-verification it accepts');
}
