/** The quality bench's adapter: HTML to the markdown of its main content, by the built package. */
import { createClient } from '../dist/index.js';

const client = createClient();

export async function extract({ html, url }) {
  const { markdown } = await client.scrape({ html, url });
  return { markdown };
}
