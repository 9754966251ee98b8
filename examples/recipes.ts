// One model call for a template of pages: its selectors are proven, stored, and read all other pages without the model.
import { createClient, openAiModel } from 'pagewright';
import { modelTurn, scriptedModel, serve } from 'pagewright/testing';

const lamps = ['Nordlys', 'Korrigan', 'Skell', 'Fernhill', 'Tern'];
const pages = lamps.map((name, index): [string, string] => [
  `/lamps/${name}`,
  `<html lang="en"><body><main><h1 class="title">${name}</h1><p class="price">€ ${(index + 1) * 10}.50</p></main></body></html>`,
]);
const server = await serve(Object.fromEntries<string>(pages));

// With a key a real model answers; without one this example says what such a model would say.
const { OPENAI_API_KEY: apiKey } = process.env;
const model =
  apiKey === undefined
    ? scriptedModel([
        modelTurn({
          json: {
            values: { name: 'Nordlys', price: 10.5 },
            selectors: [
              { path: 'name', selector: 'h1.title', attribute: null, regex: null },
              { path: 'price', selector: 'p.price', attribute: null, regex: null },
            ],
          },
        }),
      ])
    : openAiModel({ baseUrl: 'https://api.openai.com/v1', model: 'gpt-5-mini', apiKey });

const client = createClient({ model, network: { allow: ['127.0.0.1', 'api.openai.com'] } });

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, price: { type: 'number' } },
  required: ['name', 'price'],
};
const urls = lamps.map((name) => server.url(`/lamps/${name}`));
const { data } = await client.batchScrape(urls, {
  formats: [{ type: 'json', schema, recipe: 'learn' }],
});

for (const { json, jsonRecipe } of data) console.log(jsonRecipe?.outcome.padEnd(8), json);
const [recipe] = await client.recipes.list();
console.log('to be reviewed:', JSON.stringify(recipe?.schema));

await client.close();
await server.close();
