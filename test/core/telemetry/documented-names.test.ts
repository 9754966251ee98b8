/** The names in docs/observability.md are those of the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();
}

test('all spans, metrics and attributes of OpenTelemetry are documented, and no others', () => {
  const folder = 'src/entries/opentelemetry/';
  const files = readdirSync(fileURLToPath(new URL(folder, root)));
  const code = files.map((file) => read(folder + file)).join('');
  const names = namesIn(code, /'((?:pagewright|http|url|server|error|gen_ai)\.[\w.]+)'/g);
  expect(names).toHaveLength(39);
  const page = read('docs/observability.md');
  const [, section = ''] = page.split('## OpenTelemetry');
  expect(namesIn(section, /`((?:pagewright|http|url|server|error|gen_ai)\.[\w.]+)`/g)).toEqual(
    names,
  );
});

test('all metrics are documented with their units', () => {
  const code = read('src/entries/opentelemetry/metrics.ts');
  const units = [...code.matchAll(/meter\.create\w+\('([\w.]+)', \{\s+unit: '([^']+)'/g)];
  expect(units).toHaveLength(8);
  const page = read('docs/observability.md');
  for (const [, name = '', unit = ''] of units) {
    expect(page).toMatch(new RegExp(`\\| \`${name}\`\\s+\\| [a-z -]+\\s+\\| \`${unit}\`\\s+\\|`));
  }
});

test('all channels and levels are documented', () => {
  const page = read('docs/observability.md');
  const [, messages = ''] =
    /interface ChannelMessages \{([^}]+)\}/.exec(read('src/core/telemetry/channels.ts')) ?? [];
  const channels = namesIn(messages, /'(pagewright:\w+)'/g);
  expect(channels).toHaveLength(5);
  expect(namesIn(page, /\| `(pagewright:\w+)`/g)).toEqual(channels);
  const levels = namesIn(
    read('src/core/telemetry/logger.ts'),
    /^ {2}(\w+)\??\(fields: LogFields/gm,
  );
  expect(namesIn(page, /\| `([a-z]+)`\s+\| [^|]*\| +`/g)).toEqual(levels);
});
