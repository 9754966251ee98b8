// A task in words: a model says the steps once, they are proven and stored, and later visits repeat them without the model.
import { createClient, openAiModel } from 'pagewright';
import { scriptedModel, serve } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('playwright-core');

const page = (
  reviews: string,
): string => `<!doctype html><html lang="en"><title>Lamp</title><body><main>
<h1>Lamp</h1><button>Description</button> ${reviews}<p id="panel">A lamp of brass.</p></main><script>
document.querySelectorAll('button')[1].onclick = () => {
  document.querySelector('#panel').textContent = 'Reviews: five stars, shines all night.';
};</script></body></html>`;

const server = await serve({
  '/lamp': page('<button id="reviews">Reviews</button>'),
  '/redesign': page('<div><button class="r7">Customer reviews</button></div>'),
});

// With a key a real model answers; without one this example says what such a model would say.
const { OPENAI_API_KEY: apiKey } = process.env;
const model =
  apiKey === undefined
    ? scriptedModel([
        {
          status: 'steps',
          steps: [
            {
              action: 'click',
              element: 1,
              effect: { kind: 'textAppears', text: 'Reviews:', role: null },
            },
          ],
        },
      ])
    : openAiModel({ baseUrl: 'https://api.openai.com/v1', model: 'gpt-5-mini', apiKey });

const client = createClient({ model, network: { allow: ['127.0.0.1', 'api.openai.com'] } });

for (const path of ['/lamp', '/lamp', '/redesign']) {
  const { actions, markdown } = await client.scrape(server.url(path), {
    actions: [{ type: 'act', prompt: 'open the reviews' }],
  });
  const [report] = actions?.acts ?? [];
  console.log(report?.outcome, report?.calls, report?.steps, markdown.includes('five stars'));
}
const [recipe] = await client.recipes.listActs();
console.log('to be reviewed:', recipe?.steps[0]?.selectors.slice(0, 2));

await client.close();
await server.close();
