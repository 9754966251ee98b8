// A list behind a "Load more" button, and one that keeps only the visible rows: all rows of both.
// It needs Chromium or Chrome.
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('playwright-core');

const server = await serve({
  '/button': `<h1>Lamps</h1><ul></ul><button>Load more</button><script>
const [list, button] = document.querySelectorAll('ul, button');
const add = () => {
  for (let n = 0; n < 10; n++) list.append(Object.assign(document.createElement('li'), { textContent: 'Lamp ' + (list.children.length + 1) }));
  if (list.children.length === 50) button.remove();
};
button.onclick = () => setTimeout(add, 100);
add();
</script>`,
  '/virtual': `<h1>Lamps</h1><div id="box" style="height: 600px; overflow-y: auto"><div id="rows" style="position: relative; height: 3600px"></div></div><script>
const [box, rows] = document.querySelectorAll('#box, #rows');
const show = () => {
  const first = Math.min(50, Math.floor(box.scrollTop / 60));
  rows.innerHTML = '';
  for (let n = first; n < first + 10; n++) rows.innerHTML += '<p style="position: absolute; margin: 0; height: 60px; top: ' + n * 60 + 'px">Lamp ' + (n + 1) + '</p>';
};
box.onscroll = show;
show();
</script>`,
});
const client = createClient({ network: { allow: ['127.0.0.1'] } });

const clicked = await client.scrape(server.url('/button'), {
  actions: [{ type: 'click', selector: 'text=Load more', repeat: { max: 50 } }],
});
const scrolled = await client.scrape(server.url('/virtual'), {
  actions: [{ type: 'scroll', direction: 'down', repeat: {} }],
});
for (const { actions, markdown } of [clicked, scrolled]) {
  console.log(markdown.match(/Lamp \d+/g)?.length, 'lamps', actions?.repeats[0]);
}

await client.close();
await server.close();
