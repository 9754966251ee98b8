#!/usr/bin/env node
/** The command line; `pagewright --help` says what it does. */
import { runCommandLine } from './cli/run-command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2));
