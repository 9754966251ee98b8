/** The compose file of the example of a fleet has programs and commands that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { commandLine } from '../cli/command-line.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Service {
  readonly command: string;
  readonly entrypoint?: string;
  readonly volumes: readonly string[];
  readonly build: { readonly context: string; readonly target: string };
}

test('examples/fleet/compose.yaml has a Redis that drops nothing, and a program and options that exist', async () => {
  const file = readFileSync(`${root}examples/fleet/compose.yaml`, 'utf8');
  const { services } = parse(file) as { services: Record<string, Service> };
  expect(services.redis?.command).toContain('--appendonly yes');
  expect(services.redis?.command).toContain('--maxmemory-policy noeviction');
  const [command = '', ...words] = (services.coordinator?.command ?? '').split(/\s+/);
  const { code, stdout } = await commandLine(['help', command]);
  expect(code).toBe(0);
  const options = words.filter((word) => word.startsWith('--'));
  expect(options.length).toBeGreaterThan(1);
  for (const option of options) expect(stdout).toContain(` ${option} `);
  // The worker is a program beside the compose file, which finds the packages of the image above it.
  const [mounted = '', mountedAt = ''] = services.worker?.volumes[0]?.split(':') ?? [];
  const [, program = ''] = services.worker?.entrypoint?.split(' ') ?? [];
  expect(program).toMatch(new RegExp(`^${mountedAt}/`));
  expect(existsSync(`${root}examples/fleet/${mounted}${program.slice(mountedAt.length)}`)).toBe(
    true,
  );
  const { context, target } = services.worker?.build ?? { context: '', target: '' };
  const image = readFileSync(`${root}examples/fleet/${context}/Dockerfile`, 'utf8');
  expect(image).toContain(` AS ${target}\n`);
  expect(image).toContain(`WORKDIR ${mountedAt.replace(/\/[^/]*$/, '')}\n`);
  // A volume belongs to who owns its folder in the image.
  const [, folder = ''] = /--output (\S+)/.exec(services.coordinator?.command ?? '') ?? [];
  expect(image).toContain(`RUN chown node:node ${folder}\nUSER node\n`);
});
