/** Where somebody is in the app. The server answers each of these addresses with the app. */
export type Place =
  | {
      readonly screen: 'chat';
      readonly conversation?: string;
      readonly step?: string;
      /** Whom a new conversation is with. */
      readonly app?: string;
    }
  | { readonly screen: 'home' }
  | { readonly screen: 'runs'; readonly filter?: string }
  | { readonly screen: 'run'; readonly run: string; readonly step?: number; readonly at?: number }
  | { readonly screen: 'run-canvas'; readonly run: string; readonly at?: number }
  | { readonly screen: 'workflows' }
  | { readonly screen: 'workflow'; readonly name: string; readonly view?: string }
  | { readonly screen: 'apps' }
  | { readonly screen: 'app'; readonly name: string; readonly section?: string }
  | { readonly screen: 'approvals'; readonly approval?: string }
  | { readonly screen: 'api' }
  | { readonly screen: 'nowhere' };

/** Addresses of places, below what stands before all of them: what is copied from the bar leads back. */
export function addressesBelow(base: string) {
  const addressOf = {
    chat: (conversation?: string): string =>
      conversation === undefined ? `${base}/` : `${base}/c/${encodeURIComponent(conversation)}`,
    /** A step where it stands in its conversation. */
    stepInChat: (conversation: string, run: string, step: number): string =>
      `${addressOf.chat(conversation)}#${run}.${step}`,
    home: `${base}/home`,
    api: `${base}/api`,
    /** The runs that a filter leaves, written as a query. */
    runs: (filter = ''): string => `${base}/runs${filter === '' ? '' : `#${encodeURIComponent(filter)}`}`,
    /** A run, one of its steps, and the entry that was the last at the moment that is shown. */
    run: (run: string, step?: number, at?: number): string =>
      `${base}/runs/${encodeURIComponent(run)}${step === undefined ? '' : `/steps/${step}`}${at === undefined ? '' : `#${at}`}`,
    /** A run on its graph, at a moment. */
    runCanvas: (run: string, at?: number): string =>
      `${base}/runs/${encodeURIComponent(run)}/canvas${at === undefined ? '' : `#${at}`}`,
    workflows: `${base}/workflows`,
    /** A workflow, on the canvas unless said. */
    workflow: (name: string, view?: string): string =>
      `${base}/workflows/${encodeURIComponent(name)}${view === undefined ? '' : `#${view}`}`,
    apps: `${base}/apps`,
    /** An application, at one of its sections. */
    app: (name: string, section?: string): string =>
      `${base}/apps/${encodeURIComponent(name)}${section === undefined ? '' : `#${section}`}`,
    /** A new conversation with an app. */
    appChat: (name: string): string => `${base}/apps/${encodeURIComponent(name)}/chat`,
    approvals: (approval?: string): string =>
      approval === undefined ? `${base}/approvals` : `${base}/approvals#${encodeURIComponent(approval)}`,
  };
  return addressOf;
}

export function placeAt(
  { pathname, hash }: { readonly pathname: string; readonly hash: string },
  base: string,
): Place {
  const [first = '', second, third, fourth] = pathname
    .slice(base.length)
    .split('/')
    .filter(Boolean)
    .map(decoded);
  const fragment = decoded(hash.slice(1));
  if (first === '' && second === undefined) return { screen: 'chat' };
  if (first === 'c' && second !== undefined)
    return { screen: 'chat', conversation: second, ...(fragment === '' ? {} : { step: fragment }) };
  if (first === 'home') return { screen: 'home' };
  if (first === 'api' && second === undefined) return { screen: 'api' };
  if (first === 'approvals')
    return { screen: 'approvals', ...(fragment === '' ? {} : { approval: fragment }) };
  if (first === 'workflows')
    return second === undefined
      ? { screen: 'workflows' }
      : { screen: 'workflow', name: second, ...(fragment === '' ? {} : { view: fragment }) };
  if (first === 'apps' && second === undefined) return { screen: 'apps' };
  if (first === 'apps' && second !== undefined)
    return third === 'chat'
      ? { screen: 'chat', app: second }
      : { screen: 'app', name: second, ...(fragment === '' ? {} : { section: fragment }) };
  if (first !== 'runs') return { screen: 'nowhere' };
  if (second === undefined) return { screen: 'runs', ...(fragment === '' ? {} : { filter: fragment }) };
  const step = third === 'steps' && /^\d+$/.test(fourth ?? '') ? { step: Number(fourth) } : {};
  const at = /^\d+$/.test(fragment) ? { at: Number(fragment) } : {};
  if (third === 'canvas') return { screen: 'run-canvas', run: second, ...at };
  return { screen: 'run', run: second, ...step, ...at };
}

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}
