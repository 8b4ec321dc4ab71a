import { createRoot, type Root } from 'react-dom/client';
import { vitrineClient, type Client } from '../client/client.ts';
import { RunView } from './run-view.tsx';
import { VitrineProvider } from './vitrine.tsx';

/** A run on any page, without React on it: `<vitrine-run run="run_…" server="https://agents.example">`. */
export interface RunElement extends HTMLElement {
  /** Another way to reach the server than its address, as one with a key. */
  client: Client | undefined;
}

/** Makes the element known to the browser under a name. To call it again changes nothing. */
export function defineVitrineRun(name = 'vitrine-run'): void {
  if (!customElements.get(name)) customElements.define(name, runElement());
}

/** Made when it is wanted: where pages are made on a server there are no elements. */
function runElement(): new () => RunElement {
  return class extends HTMLElement implements RunElement {
    static readonly observedAttributes = ['run', 'server'];
    #root: Root | undefined;
    #client: Client | undefined;
    #made: { readonly server: string; readonly client: Client } | undefined;

    get client(): Client | undefined {
      return this.#client;
    }

    set client(client: Client | undefined) {
      this.#client = client;
      this.#draw();
    }

    connectedCallback(): void {
      this.#root = createRoot(this.shadowRoot ?? this.#inside());
      this.#draw();
    }

    disconnectedCallback(): void {
      this.#root?.unmount();
      this.#root = undefined;
    }

    attributeChangedCallback(): void {
      this.#draw();
    }

    /** A style that is made by a script and not written into the page passes the strictest policy. */
    #inside(): ShadowRoot {
      const inside = this.attachShadow({ mode: 'open' });
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      inside.adoptedStyleSheets = [sheet];
      return inside;
    }

    #draw(): void {
      const run = this.getAttribute('run') ?? '';
      this.#root?.render(
        run === '' ? undefined : (
          <VitrineProvider client={this.#reached()}>
            <RunView key={run} run={run} />
          </VitrineProvider>
        ),
      );
    }

    /** The same client as long as the address is the same: whoever watches is not thrown out. */
    #reached(): Client {
      if (this.#client) return this.#client;
      const server = this.getAttribute('server') ?? location.origin;
      if (this.#made?.server !== server) this.#made = { server, client: vitrineClient({ url: server }) };
      return this.#made.client;
    }
  };
}

const style = `
:host {
  display: block;
  font: var(--vitrine-font, 14px/1.5 system-ui, sans-serif);
  color: var(--vitrine-ink, #17191c);
  background: var(--vitrine-ground, #fff);
}
header { display: flex; gap: 0.6em; align-items: baseline; font-weight: 600; }
ul { list-style: none; margin: 0; padding-left: 1.2em; border-left: 1px solid var(--vitrine-line, #d9dde1); }
header + ul { padding-left: 0; border-left: 0; }
li { padding: 0.15em 0; }
p { margin: 0.2em 0; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { margin: 0.4em 0; padding: 0.6em; overflow: auto; font: var(--vitrine-mono, 12px/1.5 ui-monospace, monospace);
  border: 1px solid var(--vitrine-line, #d9dde1); }
.vitrine-step-status, .vitrine-run-status { color: var(--vitrine-quiet, #5a626b); font-weight: 400; font-size: 0.9em; }
[data-status=running] > .vitrine-step-status { color: var(--vitrine-accent, #0b6a8f); }
.vitrine-step-failure, [role=alert] { color: var(--vitrine-failed, #b3261e); }
.vitrine-approval { margin: 0.6em 0; padding: 0.8em; border: 1px solid var(--vitrine-waiting, #b26a00); }
.vitrine-approval h3 { margin: 0; font-size: 1em; }
.vitrine-answer { margin-top: 0.8em; padding-top: 0.8em; border-top: 1px solid var(--vitrine-line, #d9dde1); }
button { font: inherit; margin-right: 0.5em; padding: 0.3em 0.9em; cursor: pointer; color: inherit;
  background: transparent; border: 1px solid currentColor; border-radius: 4px; }
button:disabled { cursor: default; opacity: 0.5; }
`;
