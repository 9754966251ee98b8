// PDFs: milliseconds a page, time of the processor and peak memory beside pdftotext, the plain text of
// unpdf and the markdown of @firecrawl/pdf-inspector, and how much of the words of pdftotext each has.
// Each reading is a process of its own: `node bench/documents.mjs [file.pdf …]`.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const folder = fileURLToPath(new URL('../fixtures/files/pdf/', import.meta.url));

/** Not among our packages: its lock file would need binaries for systems that npm may not have. */
const inspectorPackage = '@firecrawl/pdf-inspector';

const readers = {
  /** To markdown, as `parse()` does it: on a thread. */
  async pagewright(body) {
    const { createClient } = await import('pagewright');
    const client = createClient();
    try {
      const { metadata, markdown } = await client.parse(body, {
        url: 'https://tidewater.test/a.pdf',
        formats: ['markdown'],
        timeout: 600_000,
      });
      return { pages: metadata.numPages, text: markdown };
    } finally {
      await client.close();
    }
  },
  /** Text without any structure. */
  async unpdf(body) {
    const { extractText } = await import('unpdf');
    const { totalPages, text } = await extractText(new Uint8Array(body), { mergePages: true });
    return { pages: totalPages, text };
  },
  /** To markdown, in Rust. */
  async 'pdf-inspector'(body) {
    const inspector = await import(inspectorPackage).catch(() => undefined);
    if (inspector === undefined) return { missing: true };
    const { pageCount, markdown } = inspector.processPdf(body);
    return { pages: pageCount, text: markdown ?? '' };
  },
  /** Text without any structure, in C++: a process in this one. */
  async pdftotext(_, path) {
    const { error, stdout } = spawnSync('pdftotext', [path, '-'], {
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
    if (error !== undefined && 'code' in error && error.code === 'ENOENT') return { missing: true };
    return { pages: stdout.split('\f').length - 1, text: stdout };
  },
};

const [reader, path = ''] = process.argv.slice(2);
if (reader !== undefined && Object.hasOwn(readers, reader)) {
  const body = readFileSync(path);
  const start = performance.now();
  const read = await readers[reader](body, path);
  const wall = performance.now() - start;
  // pdftotext is a child, which resourceUsage() does not count: its own memory is not told.
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const isChild = reader === 'pdftotext';
  const cpu = isChild ? undefined : (userCPUTime + systemCPUTime) / 1000;
  console.log(JSON.stringify({ ...read, wall, cpu, memory: isChild ? undefined : maxRSS / 1024 }));
} else {
  const given = process.argv.slice(2);
  const files =
    given.length > 0
      ? given
      : readdirSync(folder)
          .filter((name) => /^(?:two-columns|tables|running|chromium|libre).*\.pdf$/.test(name))
          .map((name) => folder + name);
  console.log(
    '| file | pages | reader | ms a page | CPU ms a page | peak MB | words of pdftotext |\n| --- | ---: | --- | ---: | ---: | ---: | ---: |',
  );
  for (const file of files) report(file);
}

function report(file) {
  const name = file.split('/').at(-1);
  const runs = Object.keys(readers).map((one) => {
    const run = spawnSync(process.execPath, [self, one, file], {
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
    return { one, read: run.status === 0 ? JSON.parse(run.stdout) : undefined };
  });
  const plain = runs.find(({ one }) => one === 'pdftotext')?.read?.text;
  for (const { one, read } of runs) {
    if (read === undefined) line(name, '', one, 'failed');
    else if (read.missing) line(name, '', one, 'not installed');
    else {
      const { pages, text, wall, cpu, memory } = read;
      const times = [wall, cpu].map((time) =>
        time === undefined ? '' : (time / pages).toFixed(1),
      );
      const agreement = plain === undefined ? '' : `${(100 * wordsIn(plain, text)).toFixed(1)} %`;
      line(name, pages, one, ...times, memory?.toFixed(0), agreement);
    }
  }
}

/** The part of the words of a text that another one has too, as often. */
function wordsIn(text, other) {
  const left = countsOf(other);
  let [all, found] = [0, 0];
  for (const [word, count] of countsOf(text)) {
    all += count;
    found += Math.min(count, left.get(word) ?? 0);
  }
  return all === 0 ? 1 : found / all;
}

function countsOf(text) {
  const counts = new Map();
  // Hyphens at the ends of lines are no part of a word.
  const whole = text.normalize('NFKC').replace(/(?<=\p{L})-\n(?=\p{Ll})/gu, '');
  for (const [word] of whole.matchAll(/[\p{L}\p{N}]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function line(name, pages, reader, wall = '', cpu = '', memory = '', agreement = '') {
  console.log(`| ${name} | ${pages} | ${reader} | ${wall} | ${cpu} | ${memory} | ${agreement} |`);
}
