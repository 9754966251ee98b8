/**
 * The image of the command line with Chromium, and the development container. Both are linted; where a Docker engine
 * answers, the image is built from the packed library and crawls, which takes minutes: it installs from npm and
 * Debian.
 */
import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DockerfileParser, JSONInstruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { serve } from 'pagewright/testing';
import ts from 'typescript';
import { describe, expect, onTestFinished, test } from 'vitest';
import { filesBelow, requireBuild } from '../entries/cli/run-pagewright.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const dockerfile = readFileSync(join(root, 'examples/docker/Dockerfile'), 'utf8');
const { version, scripts, devDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Record<'scripts' | 'devDependencies', Record<string, string>> & { version: string };

/** The syntax errors of a Dockerfile, and the rules of a safe image that it breaks. */
function problemsOf(text: string): string[] {
  const problems = validate(text).map(({ message }) =>
    typeof message === 'string' ? message : message.value,
  );
  const parsed = DockerfileParser.parse(text);
  const stages = new Set(parsed.getFROMs().map((from) => from.getBuildStage()));
  for (const from of parsed.getFROMs()) {
    const [image, tag] = [from.getImage() ?? '', from.getImageTag()];
    const isStage = stages.has(image);
    if (!isStage && (tag === null || tag === 'latest')) problems.push(`${image} has no fixed tag`);
  }
  let user = '';
  for (const instruction of parsed.getInstructions()) {
    const [keyword, words] = [instruction.getKeyword(), instruction.getArgumentsContent() ?? ''];
    if (keyword === 'ADD') problems.push('ADD fetches and unpacks: use COPY');
    if (keyword === 'FROM' && !stages.has(instruction.getArguments()[0]?.getValue() ?? ''))
      user = '';
    if (keyword === 'USER') user = words;
    if (instruction instanceof JSONInstruction && ['CMD', 'ENTRYPOINT'].includes(keyword)) {
      if (instruction.getOpeningBracket() === null) problems.push(`${keyword} starts a shell`);
    }
    if (keyword !== 'RUN') continue;
    if (/apt-get install/.test(words)) {
      if (!words.includes('--no-install-recommends')) problems.push('installs what is recommended');
      if (!/apt-get update\b.*rm -rf \/var\/lib\/apt\/lists/s.test(words)) {
        problems.push('keeps old lists of packages');
      }
    }
  }
  if (['', 'root', '0'].includes(user)) problems.push('runs as root');
  return problems;
}

describe('examples/docker/Dockerfile', () => {
  test('has no mistake that the linter finds', () => {
    expect(problemsOf(dockerfile)).toEqual([]);
  });

  test.each([
    ['FROM node:24\nUSER node\nRUNS true', 'Unknown instruction: RUNS'],
    ['FROM node\nUSER node', 'node has no fixed tag'],
    ['FROM node:latest\nUSER node', 'node:latest has no fixed tag'],
    ['FROM node:24 AS a\nUSER node\nFROM node:24', 'runs as root'],
    ['FROM node:24 AS a\nUSER node\nFROM a\nUSER root', 'runs as root'],
    ['FROM node:24\nADD https://site.test/file /\nUSER node', 'ADD fetches and unpacks: use COPY'],
    ['FROM node:24\nUSER node\nENTRYPOINT node cli.js', 'ENTRYPOINT starts a shell'],
    [
      'FROM node:24\nRUN apt-get update && apt-get install --no-install-recommends curl\nUSER node',
      'keeps old lists of packages',
    ],
    [
      'FROM node:24\nRUN apt-get update && apt-get install curl && rm -rf /var/lib/apt/lists/*\nUSER node',
      'installs what is recommended',
    ],
  ])('the linter finds what is wrong with %j', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  test('installs this version, and the packages in the versions that are tested', () => {
    expect(dockerfile).toContain(`ARG PACKAGE=pagewright@${version}\n`);
    expect(dockerfile).toContain(`--build-arg PACKAGE=./pagewright-${version}.tgz`);
    const packages = [...dockerfile.matchAll(/ ([\w-]+)@(\d+)(?= )/g)];
    expect(packages.map(([, name]) => name)).toEqual(['bullmq', 'redis', 'playwright-core']);
    for (const [, name = '', major] of packages) {
      expect(/\d+/.exec(devDependencies[name] ?? '')?.[0]).toBe(major);
    }
  });
});

test('.devcontainer/devcontainer.json is no more than is needed, and runs scripts that exist', () => {
  const path = join(root, '.devcontainer/devcontainer.json');
  const { config, error } = ts.parseConfigFileTextToJson(path, readFileSync(path, 'utf8'));
  expect(error).toBeUndefined();
  const { postCreateCommand, ...rest } = config as Record<string, string>;
  expect(rest).toEqual({
    name: 'pagewright',
    image: expect.stringMatching(/^mcr\.microsoft\.com\/devcontainers\/[\w-]+:\d+-\w+$/),
    remoteUser: 'node',
    init: true,
    securityOpt: ['seccomp=unconfined'],
  });
  const commands = postCreateCommand?.split(' && ') ?? [];
  expect(commands.shift()).toBe('npm ci');
  for (const command of commands) {
    const [, script, file] = /^(?:npm run (\S+)|sudo node (\S+))$/.exec(command) ?? [];
    expect(file === undefined ? script! in scripts : existsSync(join(root, file))).toBe(true);
  }
});

const engine = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], { timeout: 10_000 });

test.runIf(engine.status === 0)(
  'the image crawls with Chromium and pictures: any user, no rights, a read-only file system',
  { timeout: 1_200_000 },
  async () => {
    requireBuild();
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-image-'));
    const image = 'pagewright-test';
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const docker = (...words: readonly string[]): Promise<{ readonly stdout: string }> =>
      run('docker', [...words], { maxBuffer: 100_000_000 });

    copyFileSync(join(root, 'examples/docker/Dockerfile'), join(folder, 'Dockerfile'));
    await run('npm', ['pack', root, '--ignore-scripts'], { cwd: folder });
    const argument = `PACKAGE=./pagewright-${version}.tgz`;
    await docker('build', '--tag', image, '--build-arg', argument, folder);
    onTestFinished(async () => void (await docker('image', 'rm', image)), 120_000);
    expect((await docker('run', '--rm', '--entrypoint', 'id', image, '-un')).stdout).toBe('node\n');

    await using site = await serve(join(root, 'fixtures/sites/docs'));
    const pages = join(folder, 'pages');
    mkdirSync(pages);
    // The user of the container has no account on either side.
    chmodSync(pages, 0o777);
    const walls =
      '--init --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --user 4242';
    // The profile that docs/deployment.md makes is on the web; the site is on the host.
    const others = ['--security-opt', 'seccomp=unconfined', '--network', 'host'];
    const crawl = `crawl ${site.url('/docs/')} --allow 127.0.0.1 --limit 3 --screenshots --output docs`;
    await docker(
      ...['run', '--rm', ...walls.split(' '), ...others, '--volume', `${pages}:/pages`, image],
      ...crawl.split(' '),
    );
    const files = filesBelow(pages);
    expect(files.filter((file) => file.endsWith('.md'))).toHaveLength(3);
    expect(files.filter((file) => file.endsWith('.png'))).toHaveLength(3);
  },
);
