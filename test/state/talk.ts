// A conversation with agents in processes of their own, in which every request they get is compared with the rules.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunTree } from '../../src/run/tree.ts';
import { bugsIn } from '../delegate.ts';
import { ended, until } from '../world.ts';
import { startAgent, type AgentProcess } from './agent-process.ts';
import { killVitrine } from './kill-vitrine.ts';
import { fresh, mustBeSent, questionOf, type Past, type Request } from './strategies.ts';
import { addressees, agentNames, openVitrine, type AgentName, type Places, type Vitrine } from './vitrine.ts';

export type Agents = Readonly<Record<AgentName, AgentProcess>>;

export async function startAgents(folder: string): Promise<Agents> {
  const started = agentNames.map(async (name) => [name, await startAgent(name, folder)] as const);
  return Object.fromEntries(await Promise.all(started)) as Agents;
}

export interface Told {
  readonly run: string;
  readonly tree: RunTree;
}

interface Asked {
  readonly conversation: string;
  readonly text: string;
}

let talks = 0;

/** Agents outlive a talk, so its conversations have names of their own. What is said must differ within a talk. */
export class Talk {
  readonly #agents: Agents;
  readonly #folder = mkdtempSync(join(tmpdir(), 'vitrine-state-'));
  readonly #places: Places;
  readonly #name = `talk ${(talks += 1)}`;
  readonly #asked = new Map<string, Asked>();
  readonly #past = new Map<string, Past[]>();
  readonly #read = new Map<AgentName, number>();
  readonly #unread = new Map<AgentName, Request[]>();
  readonly #ids = new Set<string>();
  #vitrine: Vitrine | undefined;

  constructor(agents: Agents) {
    this.#agents = agents;
    this.#places = Object.fromEntries(agentNames.map((name) => [name, agents[name].url])) as Places;
  }

  get vitrine(): Vitrine {
    if (!this.#vitrine) throw new Error('Vitrine is not open');
    return this.#vitrine;
  }

  async open(): Promise<void> {
    this.#vitrine = await openVitrine(this.#folder, this.#places);
    for (const name of agentNames)
      if (!this.#read.has(name)) this.#read.set(name, (await this.#agents[name].log()).length);
  }

  /** Every request was one that had to come. */
  async close(): Promise<void> {
    await this.vitrine.close();
    rmSync(this.#folder, { recursive: true, force: true });
    for (const name of agentNames) expect(await this.unread(name), name).toEqual([]);
  }

  async reopen(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    await this.vitrine.close();
    await meanwhile();
    await this.open();
  }

  /** Says something, waits for the answer, and compares what the agents were sent with the rules. */
  async ask(text: string, conversation?: string): Promise<Told> {
    return this.finish(await this.start(text, conversation));
  }

  async start(text: string, conversation = 'c'): Promise<string> {
    return this.#note(await this.vitrine.start(this.#named(conversation), text), { conversation, text });
  }

  /** Says something, and compares what its agent was sent once it has heard it. */
  async begin(text: string, conversation?: string): Promise<string> {
    const agent = this.#agents[addressees(text)[0] ?? 'stateless'];
    const before = (await agent.log()).length;
    const run = await this.start(text, conversation);
    await agent.log(before + 1);
    await this.#compare(run);
    return run;
  }

  /** Says something, and waits until it stands in line. */
  async queue(text: string): Promise<string> {
    const run = await this.start(text);
    await until(this.vitrine.store, run, ({ steps }) =>
      [...steps.values()].some(({ notices }) => notices.some(({ code }) => code === 'WAITING_FOR_TURN')),
    );
    return run;
  }

  /** Waits for the end of a run. */
  over(run: string): Promise<RunTree> {
    return ended(this.vitrine.store, run);
  }

  /** Waits for an answer, and compares. `unseen` are runs that had left nothing when the message was made. */
  async finish(run: string, unseen: readonly string[] = []): Promise<Told> {
    const tree = await this.over(run);
    await this.#compare(run, unseen);
    expect(tree.notices.filter(({ code }) => code === 'AGENT_FAILED')).toEqual([]);
    expect([tree.ended?.outcome, bugsIn(this.vitrine)]).toEqual(['completed', []]);
    return { run, tree };
  }

  /** Says something that its agent breaks off at. */
  async fail(text: string): Promise<void> {
    const run = await this.start(text);
    const { notices } = await this.over(run);
    expect(notices.map(({ code }) => code)).toContain('AGENT_FAILED');
    await this.#compare(run);
    const [agent] = addressees(text);
    // An id that was given holds; nothing else of the turn does.
    if (agent !== 'conversation-id') this.#forget([run]);
  }

  /** The requests about a question, out of those nobody has looked at. */
  async requests(agent: AgentName, question: string): Promise<readonly Request[]> {
    const log = (await this.#agents[agent].log()) as readonly Request[];
    const all = [...(this.#unread.get(agent) ?? []), ...log.slice(this.#read.get(agent))];
    this.#read.set(agent, log.length);
    const isAsked = (request: Request): boolean => questionOf(request) === question;
    this.#unread.set(
      agent,
      all.filter((request) => !isAsked(request)),
    );
    return all.filter(isAsked);
  }

  /** What an agent was sent that nobody has looked at. */
  async unread(agent: AgentName): Promise<readonly Request[]> {
    await this.requests(agent, '');
    return this.#unread.get(agent) ?? [];
  }

  async erase(...told: readonly Pick<Told, 'run'>[]): Promise<void> {
    const runs = told.map(({ run }) => run);
    for (const run of runs) await this.vitrine.store.dispatch.erase(run);
    this.#forget(runs);
  }

  /** Another Vitrine says something, and is killed when the agent has heard it; this one takes over. */
  async killDuring(text: string): Promise<Told> {
    const agent = this.#agents[addressees(text)[0] ?? 'stateless'];
    await this.vitrine.close();
    const beginning = { folder: this.#folder, places: this.#places, conversation: this.#named('c'), text };
    const run = await killVitrine(beginning, agent);
    await this.open();
    this.#note(run, { conversation: 'c', text });
    await this.settle(run);
    return this.finish(run);
  }

  /** Whoever is asked whether it happened says yes: that repeats nothing. */
  async settle(run: string): Promise<void> {
    const { store, engine } = this.vitrine;
    const isClear = ({ approvals, ended: end }: RunTree): boolean => approvals.size > 0 || end !== undefined;
    const { approvals } = await until(store, run, isClear);
    for (const { approval, fingerprint } of approvals.values())
      await engine.send(run, { type: 'decide', by: 'ann', approval, fingerprint, decision: 'approve' });
  }

  #named(conversation: string): string {
    return `${this.#name} ${conversation}`;
  }

  #note(run: string, asked: Asked): string {
    this.#asked.set(run, asked);
    return run;
  }

  #forget(runs: readonly string[]): void {
    for (const [name, said] of this.#past)
      this.#past.set(
        name,
        said.filter(({ run }) => !runs.includes(run)),
      );
  }

  #saidIn(conversation: string): Past[] {
    const said = this.#past.get(conversation) ?? [];
    this.#past.set(conversation, said);
    return said;
  }

  async #compare(run: string, unseen: readonly string[] = []): Promise<void> {
    const { conversation, text } = this.#asked.get(run) ?? { conversation: '', text: '' };
    const all = this.#saidIn(conversation);
    if (all.some((earlier) => earlier.run === run)) return;
    const past = all.filter((earlier) => !unseen.includes(earlier.run));
    const said = { conversation: this.#named(conversation), text, past };
    const sent: Partial<Record<AgentName, Request>> = {};
    for (const agent of addressees(text)) {
      const requests = await this.requests(agent, text);
      expect(requests.length, `${agent} was sent «${text}»`).toBeGreaterThan(0);
      for (const request of requests) {
        expect(this.#withFreshId(request), `${agent} was sent «${text}»`).toEqual(
          sent[agent] ?? mustBeSent(agent, said),
        );
        sent[agent] = request;
      }
    }
    all.push({ run, text, sent });
  }

  /** An id that was never seen before is that of a new conversation. */
  #withFreshId(request: Request): Request {
    const { id } = request;
    if (id === undefined || this.#ids.has(id)) return request;
    this.#ids.add(id);
    return { ...request, id: fresh };
  }
}
