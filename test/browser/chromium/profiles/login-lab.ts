/** A members' area on loopback with the pages of `fixtures/sites/login`; its sessions can be ended. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoginLab {
  readonly origin: string;
  readonly password: string;
  /** Ends all sessions, as time does. */
  expire(): void;
  close(): Promise<void>;
}

/**
 * `/members` and `/settings` redirect to `/login` without a session, `/inbox` shows the form itself,
 * `/api` answers 401. Each visit renews the session's cookie.
 */
export async function openLoginLab(): Promise<LoginLab> {
  const file = (name: string): string => readFileSync(`fixtures/sites/login/${name}.html`, 'utf8');
  const pages = { login: file('login'), members: file('members'), settings: file('settings') };
  const password = 'oars-and-rowlocks';
  const sessions = new Set<string>();
  let count = 0;
  const server = http.createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const session = /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    const show = (html: string, status = 200): void => {
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html);
    };
    const begin = (): void => {
      const id = `session-${++count}`;
      sessions.add(id);
      response.setHeader('set-cookie', `session=${id}; Path=/; HttpOnly; Max-Age=3600`);
    };
    if (path === '/login' && request.method === 'POST') {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        if (!new URLSearchParams(body).get('password')?.includes(password)) {
          return show(pages.login, 403);
        }
        begin();
        response.writeHead(303, { location: '/members' }).end();
      });
      return;
    }
    if (path === '/login') return show(pages.login);
    if (sessions.has(session)) {
      begin();
      return show(path === '/settings' ? pages.settings : pages.members);
    }
    if (path === '/inbox') return show(pages.login);
    if (path === '/api') return show('<p>Who are you?', 401);
    response.writeHead(302, { location: `/login?next=${encodeURIComponent(path)}` }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    password,
    expire: () => sessions.clear(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
