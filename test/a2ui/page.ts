// A page with the official Lit renderer of A2UI 0.9, unmodified: a stream in, what people click out.
import { basicCatalog } from '@a2ui/lit/v0_9';
import { MessageProcessor } from '@a2ui/web_core/v0_9';

/** As much of a browser as is used here. */
declare const document: {
  createElement(name: string): object;
  readonly body: { replaceChildren(child: object): void };
};

interface Page {
  /** Follow a run, leaving after each of so many frames and coming back without a cursor, and then to its end. */
  readonly follow: (run: string, cuts: readonly number[]) => Promise<void>;
  readonly state: (run: string) => string;
  readonly acted: number[];
}

const acted: number[] = [];
const processor = new MessageProcessor([basicCatalog], (action) => {
  void fetch(`/api/runs/${action.surfaceId}/a2ui/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ version: 'v0.9', action }),
  }).then(({ status }) => acted.push(status));
});
processor.onSurfaceCreated((surface) => {
  const element = document.createElement('a2ui-surface');
  document.body.replaceChildren(Object.assign(element, { surface }));
});

async function follow(run: string, cuts: readonly number[]): Promise<void> {
  for (const most of [...cuts, Infinity]) await watch(run, most);
}

async function watch(run: string, most: number): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(`/a2ui/0.9/runs/${run}`, { signal: leaving.signal });
  const decoder = new TextDecoder();
  let rest = '';
  let had = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    rest += decoder.decode(part.value, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      processor.processMessages([JSON.parse(line.slice('data: '.length)) as never]);
      had += 1;
      if (had < most) continue;
      leaving.abort();
      return;
    }
  }
}

const page: Page = {
  follow,
  acted,
  state: (run) => JSON.stringify(processor.model.getSurface(run)?.dataModel.get('/')),
};
Object.assign(globalThis, { page });
