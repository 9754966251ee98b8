import { expect, test } from 'vitest';
import { exportLink } from '../../../src/core/url/export-link.ts';

const google = 'https://docs.google.com';
const id = '1AbC_d-9';

test.each([
  [
    `${google}/document/d/${id}/edit?usp=sharing#heading=h.1`,
    `${google}/document/d/${id}/export?format=docx`,
  ],
  [
    `${google}/a/acme.example/document/d/${id}/edit`,
    `${google}/document/d/${id}/export?format=docx`,
  ],
  [
    `${google}/spreadsheets/d/${id}/edit?resourcekey=0-x`,
    `${google}/spreadsheets/d/${id}/export?format=xlsx&resourcekey=0-x`,
  ],
  [
    `${google}/presentation/d/${id}/edit?resourcekey=0-x#slide=1`,
    `${google}/presentation/d/${id}/export/pptx?resourcekey=0-x`,
  ],
  [
    `https://drive.google.com/a/acme.example/file/d/${id}/view`,
    `https://drive.google.com/uc?export=download&id=${id}`,
  ],
  [`${google}/document/u/0/d/${id}/preview`, `${google}/document/d/${id}/export?format=docx`],
  [
    `${google}/spreadsheets/d/${id}/edit#gid=7`,
    `${google}/spreadsheets/d/${id}/export?format=xlsx`,
  ],
  [`${google}/presentation/d/${id}`, `${google}/presentation/d/${id}/export/pptx`],
  [`${google}/drawings/d/${id}/edit`, `${google}/drawings/d/${id}/export/svg`],
  [
    `https://drive.google.com/file/d/${id}/view?usp=drive_link&resourcekey=0-x`,
    `https://drive.google.com/uc?export=download&id=${id}&resourcekey=0-x`,
  ],
  [
    `https://drive.google.com/open?id=${id}`,
    `https://drive.google.com/uc?export=download&id=${id}`,
  ],
  ['https://www.dropbox.com/s/x1/a%20b.pdf?dl=0', 'https://www.dropbox.com/s/x1/a%20b.pdf?dl=1'],
  [
    'https://www.dropbox.com/scl/fi/x1/a.docx?rlkey=k&raw=1',
    'https://www.dropbox.com/scl/fi/x1/a.docx?rlkey=k&dl=1',
  ],
  [
    'https://1drv.ms/w/s!AbC',
    'https://api.onedrive.com/v1.0/shares/u!aHR0cHM6Ly8xZHJ2Lm1zL3cvcyFBYkM/root/content',
  ],
  [
    'https://acme.sharepoint.com/:w:/s/team/EaB?e=4',
    'https://acme.sharepoint.com/:w:/s/team/EaB?e=4&download=1',
  ],
  [
    'https://github.com/acme/tool/blob/main/docs/a%20b.md#L3-L9',
    'https://raw.githubusercontent.com/acme/tool/main/docs/a%20b.md',
  ],
  [
    'https://gist.github.com/ada/0123456789abcdef0123456789abcdef',
    'https://gist.githubusercontent.com/ada/0123456789abcdef0123456789abcdef/raw',
  ],
  [
    'https://gitlab.com/acme/group/tool/-/blob/main/a.py?ref_type=heads',
    'https://gitlab.com/acme/group/tool/-/raw/main/a.py',
  ],
  [
    'https://bitbucket.org/acme/tool/src/main/a.py',
    'https://bitbucket.org/acme/tool/raw/main/a.py',
  ],
])('%s is %s', (link, file) => {
  expect(exportLink(new URL(link))?.href).toBe(file);
  // What it gives is no share link.
  expect(exportLink(new URL(file))).toBeUndefined();
});

test.each([
  `${google}/document/d/e/2PACX-1v/pub`,
  `${google}/document/u/0/`,
  `${google}/forms/d/${id}/viewform`,
  'https://drive.google.com/drive/folders/abc',
  'https://drive.google.com/open?id=a/b',
  'https://www.dropbox.com/scl/fo/x1/h?rlkey=k',
  'https://www.dropbox.com/',
  'https://acme.sharepoint.com/:f:/s/team/EaB',
  'https://1drv.ms/f/s!AbC',
  'https://bitbucket.org/acme/tool/src/main/docs/',
  'https://bitbucket.org/acme/tool/src/main/',
  'https://github.com/acme/tool',
  'https://github.com/acme/tool/tree/main/docs',
  'https://github.com/acme/tool/blob/main',
  'https://docs.google.com.evil.example/document/d/x/edit',
  'https://evil.example/github.com/acme/tool/blob/main/a',
  'ftp://github.com/acme/tool/blob/main/a',
  'about:blank',
])('%s is no share link of a file', (link) => {
  expect(exportLink(new URL(link))).toBeUndefined();
});
