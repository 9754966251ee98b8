/**
 * The options of the built-in actions: type, check, and what the engine needs to know in advance.
 * `registry.ts` runs them.
 */
import { z } from 'zod';
import type { Viewport } from '../../core/model/request.ts';
import { redacted } from '../../core/checks/option.ts';
import { type UrlPart, urlPartSchema } from '../../core/checks/url-filter.ts';
import { type ActRecipeChoice, actRecipeChoice, type ActRisk, actRisks } from './act-recipe.ts';
import { type ActionOptions, mostUploadBytes } from './action.ts';
import { selectorProblem } from './selector.ts';

const selector = z.stringFormat('selector', (given) => selectorProblem(given) === undefined, {
  error: ({ input }) => selectorProblem(String(input)),
});

/** May be a password. */
const secretText = z.string().register(redacted);

/** Options of an action on an element. */
interface ElementOptions {
  /** Skips the action when no match is visible in time, instead of failing. @default false */
  readonly optional?: boolean | undefined;
  /**
   * The iframe that the element is in: a selector of it, the first match, or of nested ones, from the
   * outermost, at most 10. @default the page itself
   */
  readonly frame?: string | readonly string[] | undefined;
}

const frame = z.union([selector, z.array(selector).min(1).max(10)]).optional();

const elementShape = { optional: z.boolean().optional(), frame };

/** `optional` only applies to an element. */
function hasElementIfOptional({
  selector,
  optional,
}: {
  readonly selector?: string | undefined;
  readonly optional?: boolean | undefined;
}): boolean {
  return selector !== undefined || optional === undefined;
}

const needsSelector = { path: ['optional'], message: 'needs a selector' };

/** Repeats an action, each time after the page has settled. */
export interface Repeat {
  /**
   * The end: `noChange` when a run changed nothing in the page, `gone` when no match of this selector
   * is visible. It also ends when the action's own element is gone or disabled. @default 'noChange'
   */
  readonly until?: 'noChange' | { readonly gone: string } | undefined;
  /** Runs at most, 1 to 100; a warning says when they were used up. @default 20 */
  readonly max?: number | undefined;
}

/** Options of every action that changes the page. */
interface RepeatOptions {
  /** Runs it again until it has no effect. @default it runs once */
  readonly repeat?: Repeat | undefined;
}

const repeatShape = {
  repeat: z
    .strictObject({
      until: z.union([z.literal('noChange'), z.strictObject({ gone: selector })]).optional(),
      max: z.int().min(1).max(100).optional(),
    })
    .optional(),
};

/** Options of act. */
export interface ActOptions {
  /** The task in words, 1 to 2,000 characters: `accept the cookies and open the reviews tab`. */
  readonly prompt: string;
  /**
   * `learn` asks the client's model once and keeps the steps as a recipe; `use` asks no model; or recipes of
   * your own. @default 'learn' where the client has a model, else 'use'
   */
  readonly recipe?: ActRecipeChoice | undefined;
  /**
   * Values for `%name%` in texts to write, at most 20. They are never sent to the model, stored, logged or
   * reported, and are filled in only on the site (registrable domain) on which the act begins.
   */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** What it may do that cannot be undone. @default [] */
  readonly allow?: readonly ActRisk[] | undefined;
  /** Requests to the model at most, 1 to 10. @default 3 */
  readonly maxCalls?: number | undefined;
  /** Skips the act when the task is impossible on the page, instead of failing. @default false */
  readonly optional?: boolean | undefined;
}

/**
 * Does a task in words: by a recipe where one fits, else by steps of the client's model, each proven on the page.
 * What looks like a purchase, a deletion or a message fails unless it is allowed.
 */
export const act: ActionOptions<ActOptions> = {
  recordsOptions: false,
  options: z.strictObject({
    prompt: z.string().regex(/\S/, 'expected a task').max(2000),
    recipe: actRecipeChoice.optional(),
    variables: z
      .record(
        z.string().regex(/^[\w-]{1,100}$/, 'expected letters, digits, _ and -'),
        z.string().max(5000),
      )
      .refine((values) => Object.keys(values).length <= 20, 'expected at most 20 variables')
      .optional(),
    allow: z.array(z.enum(actRisks)).optional(),
    maxCalls: z.int().min(1).max(10).optional(),
    optional: z.boolean().optional(),
  }),
};

/** Options of click. */
export interface ClickOptions extends ElementOptions, RepeatOptions {
  /** A selector: CSS, `text=Load more` or `role=button[name="Load more"]`. */
  readonly selector: string;
  /** Clicks every visible match, in document order, at most 1,000; otherwise the first. @default false */
  readonly all?: boolean | undefined;
}

/** Clicks as a user would: on elements that are visible, enabled and not covered. */
export const click: ActionOptions<ClickOptions> = {
  recordsOptions: true,
  options: z.strictObject({
    ...elementShape,
    ...repeatShape,
    selector,
    all: z.boolean().optional(),
  }),
};

/** Options of dialog. */
export interface DialogOptions {
  /** OK, or Cancel. An alert has OK alone. */
  readonly accept: boolean;
  /** The answer to a prompt, at most 10,000 characters. @default what the page suggests */
  readonly text?: string | undefined;
}

/**
 * Says how the page's dialogs are answered from now on: alerts, confirms, prompts, and the question
 * before a page is left. `actions.dialogs` lists all that came. Without it they are cancelled, and pages
 * are left.
 */
export const dialog: ActionOptions<DialogOptions> = {
  recordsOptions: false,
  options: z
    .strictObject({
      accept: z.boolean(),
      text: z.string().max(10_000).register(redacted).optional(),
    })
    .refine(({ accept, text }) => accept || text === undefined, {
      path: ['text'],
      message: 'needs accept: true',
    }),
};

/** Options of drag. */
export interface DragOptions extends ElementOptions, RepeatOptions {
  /** A selector of what is dragged. */
  readonly selector: string;
  /**
   * A selector, in the same frame, of where it is dropped: in the middle; or the CSS pixels to move it by, to
   * the right and down.
   */
  readonly to: string | { readonly x: number; readonly y: number };
}

const distance = z.int().min(-10_000).max(10_000);

/** Drags with the pointer: sortable lists, sliders, and HTML5 drag and drop. */
export const drag: ActionOptions<DragOptions> = {
  recordsOptions: true,
  options: z.strictObject({
    ...elementShape,
    ...repeatShape,
    selector,
    to: z.union([selector, z.strictObject({ x: distance, y: distance })]),
  }),
};

/** Options of executeJavascript. */
export interface ExecuteJavascriptOptions extends RepeatOptions, Pick<ElementOptions, 'frame'> {
  /**
   * An expression, statements of which the last one has the value, or a function body with `return`; `await` works
   * in all of them. The script sees the page's own variables, or the variables of `frame`.
   */
  readonly script: string;
}

/**
 * Runs the script and returns `{ type, value }`: `type` is the result of `typeof`, except `null` and
 * `array`; `value` is the result as JSON represents it. Undefined, functions, symbols, NaN and
 * infinities are null, a bigint is a string. It fails when the script throws, when it takes longer than
 * 30 s, and when the result has cycles or more than 10,000,000 characters as JSON; such a value of a last
 * statement counts as undefined.
 */
export const executeJavascript: ActionOptions<ExecuteJavascriptOptions> = {
  recordsOptions: false,
  options: z.strictObject({
    ...repeatShape,
    frame,
    script: z.string().regex(/\S/, 'expected a script'),
  }),
};

/** Options of fill. */
export interface FillOptions extends ElementOptions, RepeatOptions {
  /** A selector of an input, a textarea or an editable element. */
  readonly selector: string;
  /** The new text; empty to clear the field. */
  readonly text: string;
}

/** Fills at once; the page sees one `input` event. */
export const fill: ActionOptions<FillOptions> = {
  recordsOptions: false,
  options: z.strictObject({ ...elementShape, ...repeatShape, selector, text: secretText }),
};

/** Options of hover. */
export interface HoverOptions extends ElementOptions, RepeatOptions {
  /** A selector: CSS, `text=Load more` or `role=button[name="Load more"]`. */
  readonly selector: string;
}

/** Moves the pointer over the element and leaves it there. */
export const hover: ActionOptions<HoverOptions> = {
  recordsOptions: true,
  options: z.strictObject({ ...elementShape, ...repeatShape, selector }),
};

/** Options of paginate. */
export interface PaginateOptions {
  /** `auto` finds the next page by its link, name or number; otherwise a selector of what leads there. @default 'auto' */
  readonly selector?: string | undefined;
  /** Pages at most, the first included, 1 to 100. @default 10 */
  readonly max?: number | undefined;
  /**
   * `joined`: the document is about all pages as one, with what they have in common once. `pages`: it is
   * about the first, and `actions.pages` has a document for each. @default 'joined'
   */
  readonly as?: 'joined' | 'pages' | undefined;
}

/**
 * Follows the next pages of a list or an article on the same host, and keeps all. It ends without an error:
 * `actions.paginations` says why. A scrape has one.
 */
export const paginate: ActionOptions<PaginateOptions> = {
  recordsOptions: true,
  options: z.strictObject({
    selector: selector.optional(),
    max: z.int().min(1).max(100).optional(),
    as: z.enum(['joined', 'pages']).optional(),
  }),
};

type PaperFormat =
  ('A0' | 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6') | ('Letter' | 'Legal' | 'Tabloid' | 'Ledger');

const formats: readonly PaperFormat[] = [
  ...(['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6'] as const),
  ...(['Letter', 'Legal', 'Tabloid', 'Ledger'] as const),
];

/** Options of pdf. */
export interface PdfOptions {
  /** The paper size. @default 'Letter' */
  readonly format?: PaperFormat | undefined;
  /** @default false */
  readonly landscape?: boolean | undefined;
  /** 0.1 to 2. @default 1 */
  readonly scale?: number | undefined;
}

/** Prints the page, with backgrounds. */
export const pdf: ActionOptions<PdfOptions> = {
  recordsOptions: true,
  showsPage: true,
  options: z.strictObject({
    format: z.enum(formats).optional(),
    landscape: z.boolean().optional(),
    scale: z.number().min(0.1).max(2).optional(),
  }),
};

/** Options of press. */
export interface PressOptions extends RepeatOptions {
  /** A key as in `KeyboardEvent.key`, with modifiers before it: `Enter`, `a`, `Control+A`, `Shift+Tab`. */
  readonly key: string;
}

/** Presses and releases a key in the focused element. */
export const press: ActionOptions<PressOptions> = {
  recordsOptions: false,
  options: z.strictObject({ ...repeatShape, key: z.string().min(1) }),
};

/** Keeps URL and HTML. */
export const scrape: ActionOptions<object> = {
  recordsOptions: false,
  options: z.strictObject({}),
};

/** Options of screenshot. */
export interface ScreenshotOptions {
  /** Captures the whole page instead of the visible part. @default false */
  readonly fullPage?: boolean | undefined;
  /** Gives a JPEG of this quality, 1 to 100. @default a PNG */
  readonly quality?: number | undefined;
  /** The viewport for this screenshot, in CSS pixels, at most 7680 × 4320. @default as it is */
  readonly viewport?: Viewport | undefined;
}

const viewport = z.strictObject({
  width: z.int().min(1).max(7680),
  height: z.int().min(1).max(4320),
});

/** Takes a picture. */
export const screenshot: ActionOptions<ScreenshotOptions> = {
  recordsOptions: true,
  showsPage: true,
  options: z.strictObject({
    fullPage: z.boolean().optional(),
    quality: z.int().min(1).max(100).optional(),
    viewport: viewport.optional(),
  }),
};

/** Options of scroll. */
export interface ScrollOptions extends ElementOptions, RepeatOptions {
  readonly direction: 'up' | 'down';
  /**
   * A selector: scrolls this element, or a scrollable one inside or around it. @default the window, or
   * the largest that scrolls
   */
  readonly selector?: string | undefined;
}

/** Scrolls by the visible height. Does nothing at the end. */
export const scroll: ActionOptions<ScrollOptions> = {
  recordsOptions: true,
  options: z
    .strictObject({
      ...elementShape,
      ...repeatShape,
      direction: z.enum(['up', 'down']),
      selector: selector.optional(),
    })
    .refine(hasElementIfOptional, needsSelector),
};

/** Options of scrollToEnd. */
export interface ScrollToEndOptions extends ElementOptions {
  /** Times to wait for more rows at the end of the list, 1 to 1000. @default 50 */
  readonly maxScrolls?: number | undefined;
  /**
   * A selector: scrolls this element, or a scrollable one inside or around it. @default the window, or
   * the largest that scrolls
   */
  readonly selector?: string | undefined;
}

/**
 * Scrolls from the start to the end, and further while more rows load there. Rows that leave the DOM
 * meanwhile, as in recycled and virtual lists, are put back in order, each once, as copies without
 * behaviour. It stops with a warning, and keeps the rows so far, at `maxScrolls`, at 10,000 rows, at
 * 20,000,000 characters of rows, and when the time is nearly over.
 */
export const scrollToEnd: ActionOptions<ScrollToEndOptions> = {
  recordsOptions: true,
  options: z
    .strictObject({
      ...elementShape,
      maxScrolls: z.int().min(1).max(1000).optional(),
      selector: selector.optional(),
    })
    .refine(hasElementIfOptional, needsSelector),
};

/** Options of select. */
export interface SelectOptions extends ElementOptions, RepeatOptions {
  /** A selector of a `<select>`. */
  readonly selector: string;
  /** The `value` of the option, or its text where it has no `value`. */
  readonly value: string;
}

/** Chooses the option; the page sees `input` and `change` events. */
export const select: ActionOptions<SelectOptions> = {
  recordsOptions: true,
  options: z.strictObject({ ...elementShape, ...repeatShape, selector, value: z.string() }),
};

/** A file to upload. */
export interface UploadFile {
  /** The name that the page sees, without folders. */
  readonly name: string;
  /** The bytes, or the same in base64. */
  readonly content: string | Uint8Array;
  /** The media type. @default 'application/octet-stream' */
  readonly contentType?: string | undefined;
}

/** Options of upload. */
export interface UploadOptions extends ElementOptions {
  /** A selector of an `<input type=file>`, hidden or not, or of a button or label that asks for files. */
  readonly selector: string;
  /**
   * 1 to 20 files, with 20,000,000 bytes in all. A `file:` URL, as of `pathToFileURL()`, is read from disk;
   * it has to be a `URL`, which JSON cannot hold: text from elsewhere cannot name a file of yours.
   */
  readonly files: readonly (UploadFile | URL)[];
}

const fileContent = z.union(
  [
    z
      .string()
      .refine(
        (given) => Buffer.from(given, 'base64').toString('base64') === given,
        'expected base64',
      ),
    // A copy, so that the caller's later changes have no effect.
    z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes).toString('base64')),
  ],
  'expected a Uint8Array or base64',
);

const uploadFile = z.union(
  [
    z.strictObject({
      name: z.string().regex(/^[^/\\\0]{1,255}$/, 'expected a name without folders'),
      content: fileContent,
      contentType: z
        .string()
        .regex(/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/)
        .optional(),
    }),
    z.instanceof(URL).refine(({ protocol }) => protocol === 'file:', 'expected a file: URL'),
  ],
  'expected { name, content, contentType? } or a URL object of a file',
);

/** Gives files to the page, as a user does who chooses them. */
export const upload: ActionOptions<UploadOptions> = {
  recordsOptions: false,
  options: z.strictObject({
    ...elementShape,
    selector,
    files: z
      .array(uploadFile)
      .min(1)
      .max(20)
      .refine(
        (files) =>
          files.reduce(
            (sum, file) =>
              sum + ('content' in file ? Buffer.byteLength(file.content, 'base64') : 0),
            0,
          ) <= mostUploadBytes,
        `at most ${mostUploadBytes} bytes in all`,
      ),
  }),
};

/** Options of wait: exactly one of the three. */
export type WaitOptions =
  | {
      /** Time to wait, 1 to 60000; all waits of a scrape together at most 60000. */
      readonly milliseconds: number;
      readonly selector?: undefined;
      readonly optional?: undefined;
      readonly frame?: undefined;
      readonly response?: undefined;
    }
  | {
      /**
       * The URL of a response, a part of it, a glob for all of it, or a RegExp; it fails when no such response has
       * ended within 30 s. The request was sent since the last step that is not a wait began, or since the page
       * began to load if there is none.
       */
      readonly response: UrlPart;
      readonly milliseconds?: undefined;
      readonly selector?: undefined;
      readonly optional?: undefined;
      readonly frame?: undefined;
    }
  | (ElementOptions & {
      /** A selector; it fails when no match is visible within 30 s. */
      readonly selector: string;
      readonly milliseconds?: undefined;
      readonly response?: undefined;
    });

/** Waits for the time, until a match is visible, or for a response. */
export const wait: ActionOptions<WaitOptions> = {
  recordsOptions: true,
  options: z
    .strictObject({
      ...elementShape,
      milliseconds: z.int().min(1).max(60_000).optional(),
      selector: selector.optional(),
      response: urlPartSchema.optional(),
    })
    .refine(
      ({ milliseconds, selector, response }) =>
        [milliseconds, selector, response].filter((one) => one !== undefined).length === 1,
      'expected milliseconds, selector or response, one of the three',
    )
    .refine(hasElementIfOptional, needsSelector)
    .refine(({ selector, frame }) => selector !== undefined || frame === undefined, {
      ...needsSelector,
      path: ['frame'],
    }) as unknown as z.ZodType<WaitOptions>,
  readsResponses: ({ response }) => response !== undefined,
  waits: ({ milliseconds = 0 }) => milliseconds,
};

/** Options of write. */
export interface WriteOptions extends RepeatOptions {
  /** The text, typed character by character after existing text; a line break is the Enter key. */
  readonly text: string;
}

/** Types the text. It fails when no element that takes text has the focus. */
export const write: ActionOptions<WriteOptions> = {
  recordsOptions: false,
  options: z.strictObject({ ...repeatShape, text: secretText }),
};
