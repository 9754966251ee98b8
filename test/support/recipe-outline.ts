/** The outline in a prompt, read as a model reads it. */

/** What a test needs of a request. */
export interface ModelRequestLike {
  readonly prompt: string;
}

/** An element of the outline that has text or an address. */
export interface SeenElement {
  readonly tag: string;
  readonly classes: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The elements on lines of their own, in their order. */
export function outlineOf({ prompt }: ModelRequestLike): SeenElement[] {
  const fenced = /<(page-text-[\da-f]{16})>\n([^]*?)\n<\/\1>/.exec(prompt)?.[2] ?? '';
  const elements: SeenElement[] = [];
  for (const [, tag = '', inside = '', text = ''] of fenced.matchAll(
    /^ *<([a-z][\w-]*)((?: [\w-]+="[^"]*")*)>([^<\n]*)/gm,
  )) {
    const attributes = Object.fromEntries(
      [...inside.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
    const classes = (attributes['class'] ?? '').split(' ').filter((name) => name !== '');
    elements.push({ tag, classes, attributes, text: unescaped(text) });
  }
  return elements;
}

function unescaped(text: string): string {
  return text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
}
