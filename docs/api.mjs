// Writes docs/api: a page for each group of exports in src/index.ts, and for each subpath of the package. A group
// is what follows a line `// Its title` there. Needs the build, whose declarations are read.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';

const root = new URL('../', import.meta.url);
const entries = new URL('build/api/', root);
const read = (path) => readFileSync(new URL(path, root), 'utf8');

rmSync(entries, { recursive: true, force: true });
mkdirSync(entries, { recursive: true });
const [, ...sections] = read('src/index.ts').split(/^\/\/ /m);
const groups = sections.map((section) => {
  const end = section.indexOf('\n');
  return { title: section.slice(0, end), exports: section.slice(end) };
});
const subpaths = Object.entries(JSON.parse(read('package.json')).exports)
  .filter(([path, target]) => path !== '.' && target.import !== undefined)
  .map(([path, target]) => {
    const exports = `export * from '${target.import.types.replace('.d.ts', '.ts')}';`;
    return { title: path.replace('.', 'pagewright'), exports };
  });

const app = await Application.bootstrapWithPlugins({
  options: fileURLToPath(new URL('docs/typedoc.json', root)),
  entryPoints: [...groups, ...subpaths].map(entry),
});
const project = await app.convert();
if (project !== undefined) await app.generateOutputs(project);
const sidebar = [
  { text: 'pagewright', items: groups.map(link) },
  { text: 'Subpaths', items: subpaths.map(link) },
];
writeFileSync(new URL('docs/api/sidebar.json', root), JSON.stringify(sidebar));
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;

/** Writes a module with the exports of a page, and returns its path. */
function entry({ title, exports }) {
  const file = new URL(`${title.replaceAll(/\W/g, '-')}.ts`, entries);
  const text = exports
    .replaceAll("'./", "'../../")
    .replaceAll(/'\.\.\/\.\.\/(?!dist\/)/g, "'../../dist/");
  writeFileSync(file, `/** @module ${title} */\n${text}\n`);
  return fileURLToPath(file);
}

/** A line of the sidebar: typedoc calls the page of a module like this. */
function link({ title }) {
  return { text: title, link: `/api/${title.replaceAll(' ', '-')}` };
}
