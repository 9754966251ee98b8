/** Pages as markdown files in a folder, with their pictures beside them where there are any. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { frontMatter } from './front-matter.ts';
import { cannotWrite } from './output.ts';
import { PagePaths } from './page-paths.ts';
import type { PageSink } from './page-sink.ts';
import { bytesOf } from './screenshot-options.ts';

/** Opens a folder, which is made when it is not there. Files of an earlier crawl are overwritten. */
export async function markdownFolder(
  folder: string,
  options: { readonly byHost: boolean },
): Promise<PageSink> {
  const paths = new PagePaths(options);
  await makeFolder(folder);
  return {
    name: folder,
    async write({ markdown = '', screenshot, metadata, warning }) {
      const file = join(folder, paths.take(metadata.url));
      const end = markdown === '' || markdown.endsWith('\n') ? '' : '\n';
      await makeFolder(dirname(file));
      try {
        await writeFile(file, `${frontMatter(metadata, warning)}\n${markdown}${end}`);
        if (screenshot !== undefined) {
          await writeFile(file.replace(/\.md$/, '.png'), bytesOf(screenshot));
        }
      } catch (error) {
        throw cannotWrite(file, error);
      }
    },
    close: () => Promise.resolve(),
  };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}
