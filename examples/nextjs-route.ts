// A route handler of Next.js that answers with the markdown of a page: app/api/markdown/route.ts.
// next.config.ts needs serverExternalPackages: ['pagewright'].
import { createClient, PagewrightError } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

// One client for all requests: its connections and its cache are reused. Leave out the engine to read the web.
const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site], maxConcurrency: 10 });

export const runtime = 'nodejs';

export async function GET(request: Request): Promise<Response> {
  const url = new URL(request.url).searchParams.get('url');
  if (url === null) return Response.json({ code: 'BAD_REQUEST' }, { status: 400 });
  try {
    // A visitor who leaves ends the scrape.
    const { markdown } = await client.scrape(url, { timeout: 10_000, signal: request.signal });
    return new Response(markdown, { headers: { 'content-type': 'text/markdown; charset=utf-8' } });
  } catch (error) {
    if (!(error instanceof PagewrightError)) throw error;
    const { code, message } = error;
    return Response.json({ code, message }, { status: code === 'INVALID_URL' ? 400 : 502 });
  }
}

// Next.js calls the handler; these lines do it here.
for (const wanted of [
  'https://lantern.test/docs/guides/schedules.html',
  'http://127.0.0.1/admin',
]) {
  const response = await GET(
    new Request(`https://app.test/api/markdown?url=${encodeURIComponent(wanted)}`),
  );
  console.log(response.status, (await response.text()).split('\n')[0]);
}
await client.close();
