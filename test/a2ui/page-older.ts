// A page with the official Lit renderer of A2UI 0.8, unmodified: its theme, and what a click means, are its page's to say.
import { Data } from '@a2ui/lit/v0_8';
import { Context } from '@a2ui/lit/ui';
import { marked } from 'marked';
import { act, showPage } from './watching.ts';

/** As much of a browser as is used here. */
declare const document: {
  createElement(name: string): object;
  readonly body: {
    replaceChildren(child: object): void;
    addEventListener(name: string, listener: (event: never) => void): void;
  };
};

/** Nothing is said of how anything looks. */
const hints = Object.fromEntries(
  ['all', 'h1', 'h2', 'h3', 'h4', 'h5', 'caption', 'body'].map((hint) => [hint, {}]),
);
const theme = {
  components: { Text: hints, Button: {}, Card: {}, Column: {}, Divider: {}, List: {}, Row: {} },
  markdown: {},
};

/** Without one the renderer looks for a package of its own, and says that it is not there. */
async function rendered(text: string): Promise<string> {
  return marked.parse(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
}

interface Wanting {
  readonly context: unknown;
  readonly callback: (given: object) => void;
  stopPropagation(): void;
}

document.body.addEventListener('context-request', (event: Wanting) => {
  const given = new Map<unknown, object>([
    [Context.themeContext, theme],
    [Context.markdown, rendered],
  ]).get(event.context);
  if (!given) return;
  event.stopPropagation();
  event.callback(given);
});

interface Clicked {
  readonly detail: {
    readonly action: {
      readonly name: string;
      readonly context?: readonly {
        readonly key: string;
        readonly value: { readonly path?: string; readonly literalString?: string };
      }[];
    };
    readonly sourceComponentId: string;
    readonly sourceComponent: never;
  };
}

const processor = Data.createSignalA2uiMessageProcessor();
let shown = '';
let element: object = {};

document.body.addEventListener('a2uiaction', ({ detail }: Clicked) => {
  const { action, sourceComponentId, sourceComponent } = detail;
  const context = Object.fromEntries(
    (action.context ?? []).map(({ key, value: { path, literalString } }) => [
      key,
      path === undefined ? literalString : processor.getData(sourceComponent, path, shown),
    ]),
  );
  const timestamp = new Date().toISOString();
  act(shown, { userAction: { name: action.name, surfaceId: shown, sourceComponentId, timestamp, context } });
});

showPage({
  version: '0.8',
  take(message, run) {
    processor.processMessages([message as never]);
    const surface = processor.getSurfaces().get(run);
    if (!surface) return;
    if (shown !== run) element = document.createElement('a2ui-surface');
    shown = run;
    document.body.replaceChildren(
      Object.assign(element, { surfaceId: run, processor, surface: { ...surface } }),
    );
  },
  state: (run) => plainData(processor.getSurfaces().get(run)?.dataModel),
});

function plainData(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  const parts = [...value].map(([key, part]) => [String(key), plainData(part)] as const);
  const filled = parts.filter(([, part]) => JSON.stringify(part) !== '{}');
  return Object.fromEntries(filled.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
