// The API in Next.js: app/v2/[...path]/route.ts. next.config.ts needs serverExternalPackages: ['pagewright'].
import { createClient } from 'pagewright';
import { firecrawlApi } from './handler.ts';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

// Jobs live in this process: it has to go on after the response, so no serverless functions.
const client = createClient();
const keys = (process.env['FIRECRAWL_API_KEYS'] ?? '').split(',').filter(Boolean);
const api = firecrawlApi({ client, keys });

export { api as DELETE, api as GET, api as POST };
