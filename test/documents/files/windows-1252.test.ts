/** Letters of windows-1252 that Node 20's own decoder misses: quotes, dashes, the euro sign. */
import { expect, test } from 'vitest';
import { parse } from 'pagewright';

const mail = (head: string, body: string): Buffer =>
  Buffer.from(`Subject: =?windows-1252?Q?Don=92t_wait?=\r\n${head}\r\n\r\n${body}`, 'latin1');

test.each([
  [
    'RTF',
    'a.rtf',
    Buffer.from("{\\rtf1\\ansi\\ansicpg1252 It\\'92s \\'80 5 \\'96 \\'93so\\'94\\'85}"),
    'It’s € 5 – “so”…',
  ],
  [
    'a mail of 8 bits',
    'a.eml',
    mail(
      'Content-Type: text/plain; charset=windows-1252\r\nContent-Transfer-Encoding: 8bit',
      'It\x92s \x80 5',
    ),
    'It’s € 5',
  ],
  [
    'a quoted-printable mail',
    'a.eml',
    mail(
      'Content-Type: text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable',
      '<p>It=92s =80 5</p>',
    ),
    'It’s € 5',
  ],
  ['a subject', 'a.eml', mail('Content-Type: text/plain', 'x'), '# Don’t wait'],
  [
    'UTF-8 stays',
    'a.eml',
    mail('Content-Type: text/plain; charset=utf-8', Buffer.from('It’s € 5').toString('latin1')),
    'It’s € 5',
  ],
])('%s', async (_, name, body, text) => {
  const { markdown } = await parse(body, { url: `https://files.test/${name}` });
  expect(markdown).toContain(text);
});
