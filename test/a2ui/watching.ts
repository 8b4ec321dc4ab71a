// What pages with the official renderers share: a stream of a run in, what people click out.

/** What a test can ask of a page. */
export interface Page {
  /** Follow a run, leaving after each of so many frames and coming back without a cursor, and then to its end. */
  readonly follow: (run: string, cuts: readonly number[]) => Promise<void>;
  readonly state: (run: string) => string;
  /** What the server said to each click. */
  readonly acted: number[];
}

interface Renderer {
  readonly version: '0.8' | '0.9';
  readonly take: (message: object, run: string) => void;
  /** What is shown, as data. */
  readonly state: (run: string) => unknown;
}

const acted: number[] = [];

/** What was clicked, as its version of the protocol says it. */
export function act(run: string, message: object): void {
  void fetch(`/api/runs/${run}/a2ui/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
  }).then(({ status }) => acted.push(status));
}

export function showPage({ version, take, state }: Renderer): void {
  const page: Page = {
    async follow(run, cuts) {
      for (const most of [...cuts, Infinity]) await watch(run, most);
    },
    acted,
    state: (run) => JSON.stringify(state(run)),
  };
  Object.assign(globalThis, { page });

  async function watch(run: string, most: number): Promise<void> {
    const leaving = new AbortController();
    const response = await fetch(`/a2ui/${version}/runs/${run}`, { signal: leaving.signal });
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
        take(JSON.parse(line.slice('data: '.length)) as object, run);
        had += 1;
        if (had < most) continue;
        leaving.abort();
        return;
      }
    }
  }
}
