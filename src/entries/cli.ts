#!/usr/bin/env node
/** The command line; `pagewright --help` describes it. */
import module from 'node:module';

// From Node 22.8: the next run loads compiled code. The library leaves that to the host process.
const { enableCompileCache } = module as unknown as { readonly enableCompileCache?: () => void };
enableCompileCache?.();

const { runCommandLine } = await import('./cli/run-command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
