/**
 * The types that derive from the list of actions (`action-options.ts`): the entries of `actions`, and the results in the
 * document.
 */
import * as registry from './action-options.ts';
import type { PlainDocument } from '../../core/model/document.ts';
import type {
  ActionDialog,
  ActionPagination,
  ActionRepeat,
  ActReport,
} from '../../core/model/snapshot.ts';
import type { Action, ActionOptions } from './action.ts';

type Registry = typeof registry;

/** The names of the built-in actions. */
export type ActionName = keyof Registry;

type OptionsOf<A> = A extends ActionOptions<infer Options> ? Options : never;

/** The object form of a custom action that is registered with the client. */
type ObjectFormOf<A> =
  A extends Action<infer Type, infer Options, infer _>
    ? { readonly type: Type } & ([Options] extends [undefined] ? unknown : Options)
    : never;

/** One entry of `actions`: an object with options, or a custom action. */
export type ActionInput<Custom extends readonly Action[] = readonly []> =
  | { [Name in ActionName]: { readonly type: Name } & OptionsOf<Registry[Name]> }[ActionName]
  | ActionByValue
  | ObjectFormOf<Custom[number]>;

type OptionName<Options> = Options extends unknown ? keyof Options : never;

/**
 * A custom action that is passed itself. It has none of the options of the built-in ones, so that the compiler
 * names the right one for a misspelt option.
 */
type ActionByValue = Action & {
  readonly [Name in OptionName<OptionsOf<Registry[ActionName]>>]?: undefined;
};

/** The value of `document.actions`, each list in the order of the steps. */
export interface ActionResults {
  /** Data URIs. */
  screenshots: string[];
  scrapes: { url: string; html: string }[];
  /** `type` is the result of `typeof`, except `null` and `array`. */
  javascriptReturns: { type: string; value: unknown }[];
  /** Data URIs. */
  pdfs: string[];
  /** Return values of custom actions; `type` is the action's name. */
  returns: { type: string; value: unknown }[];
  /** The runs of actions with `repeat`. */
  repeats: ActionRepeat[];
  /** The first 100 dialogs, with their answers. */
  dialogs: ActionDialog[];
  /** Pages that `paginate` read, and its reasons to stop. */
  paginations: ActionPagination[];
  /** With `paginate` as `pages`: a document with the formats of the scrape for each page, the first included. */
  pages: PlainDocument[];
  /** The reports of acts. */
  acts: ActReport[];
}

/** True for the name of a built-in action. */
export function isBuiltIn(name: string): name is ActionName {
  return Object.hasOwn(registry, name);
}

/** The options of a built-in action. */
export function builtInAction(name: ActionName): ActionOptions<object> {
  return registry[name];
}

/** The names of the built-in actions. */
export function builtInActionNames(): ActionName[] {
  return Object.keys(registry) as ActionName[];
}
