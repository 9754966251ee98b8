/** Runs a format on a page without a client: both steps on this thread, no model, no storage. */
import { languageOf } from '../../extract/values/dates.ts';
import type { Page } from '../../core/model/page.ts';
import { computeHere } from './computations.ts';
import type { Format, FormatContext } from './format.ts';
import { findJson, schemaWish } from './json.ts';
import { markdown } from './markdown.ts';

/** The value of the format. */
export async function runFormat<Value, Options, Found, RunOptions>(
  format: Format<string, Value, Options, Found, RunOptions>,
  page: Page,
  options: Options,
  context: FormatContext,
): Promise<Value> {
  const uses = format.uses?.(options) ?? {};
  const findings = uses.schema && (await findJson(page, await schemaWish(uses.schema)));
  const found = await format.run(page, runOptionsOf(format, options), context);
  if (format.finish === undefined) return found as unknown as Value;
  return format.finish(found, options, {
    signal: context.signal,
    url: page.url,
    mediaType: page.mediaType,
    body: new TextEncoder().encode(page.source),
    model: undefined,
    modelText: undefined,
    markdown: uses.markdown === true ? await markdown.run(page, undefined, context) : undefined,
    findings,
    language: languageOf(page),
    captured: {},
    fields: new Map(),
    methods: {},
    visit: undefined,
    warn: (sentence) => void page.warnings.push(sentence),
    use: () => undefined,
    compute: computeHere,
  });
}

/** The options that `run` gets. */
export function runOptionsOf<Options, RunOptions>(
  format: Pick<Format<string, unknown, Options, unknown, RunOptions>, 'runOptions'>,
  options: Options,
): RunOptions {
  return format.runOptions === undefined
    ? // The default of `RunOptions` is `Options`.
      (options as unknown as RunOptions)
    : format.runOptions(options);
}
