import { planFor, type AgentCard, type RoutePlan } from '../route-plan.ts';
import type { Json } from '../json.ts';
import { say, type Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';

/** Whoever wants a workflow gets a plain one: who looks things up, a person who agrees, and what is done then. */
export const designing: Rule = {
  name: 'designing',
  reply(situation) {
    if (!situation.system.startsWith('You draft workflows')) return undefined;
    const { question } = situation;
    const act = actions.find(({ asks, tool }) => asks.test(question) && offered(situation, 'tool', tool));
    const agents = offeredOf(situation, 'agent').filter(
      ({ name }) => !/dispatch|^users$|model|^tour/i.test(name),
    );
    const graph = graphOf(
      planFor(situation, agents),
      act,
      /\b(?:approv|agree|ask|person|confirm)/i.test(question),
    );
    const title = `Drafted by a script: ${question.trim().replaceAll(/\s+/g, ' ').slice(0, 120)}`;
    return say(JSON.stringify({ title, ...graph }), 'somebody wants a workflow, and I draft it by rules');
  },
};

interface Action {
  readonly asks: RegExp;
  readonly tool: string;
  readonly title: string;
  readonly arguments: Json;
}

const actions: readonly Action[] = [
  {
    asks: /\b(?:dispatch\w*|field engineer|engineer|crew|technician)\b/i,
    tool: 'dispatch_engineer',
    title: 'Send an engineer',
    arguments: { destination: '{{input.text}}', reason: 'It was asked for by a workflow.' },
  },
  {
    asks: /\b(?:notices?|post\w*|board|announce\w*)\b/i,
    tool: 'post_notice',
    title: 'Put up a notice',
    arguments: { site: 'Sydney', text: 'Work on {{input.text}}.' },
  },
];

function offeredOf({ system }: Situation, what: 'agent' | 'tool'): AgentCard[] {
  return [...system.matchAll(new RegExp(`^${what} (\\S+): ?(.*)$`, 'gm'))].map(
    ([, name = '', description = '']) => ({ name, description }),
  );
}

function offered(situation: Situation, what: 'agent' | 'tool', wanted: string): boolean {
  return offeredOf(situation, what).some(({ name }) => name === wanted);
}

/** What acts is agreed to before; what only looks things up is not, unless a person is wanted. */
function graphOf({ tasks }: RoutePlan, act: Action | undefined, wantsPerson: boolean) {
  const found = tasks.map((_, i) => `{{nodes.${idOf(i)}.output}}`).join('\n\n');
  const asks = act !== undefined || wantsPerson ? asking(act, found) : { nodes: [], edges: [] };
  const first = asks.nodes.length > 0 ? 'check' : 'end';
  const last = tasks.flatMap((_, i) => (tasks.some(({ after }) => after.includes(i)) ? [] : [idOf(i)]));
  return {
    nodes: [
      { id: 'start', type: 'start' },
      ...tasks.map(({ agent, instructions = 'Find out about this:' }, i) => ({
        id: idOf(i),
        type: 'agent',
        title: agent,
        agent,
        message: `${instructions} {{input.text}}`,
      })),
      { id: 'end', type: 'end', output: found },
      ...asks.nodes,
    ],
    edges: [
      ...tasks.flatMap(({ after }, i) =>
        (after.length === 0 ? ['start'] : after.map(idOf)).map((from) => ({ from, to: idOf(i) })),
      ),
      ...last.map((from) => ({ from, to: first })),
      ...asks.edges,
    ],
  };
}

function idOf(i: number): string {
  return `look${i + 1}`;
}

/** A person, and what is done once they agree. */
function asking(act: Action | undefined, found: string) {
  const no = { id: 'no', type: 'end', output: 'Nothing was done: {{nodes.check.output.by}} said no.' };
  const { title = 'Is this right?', arguments: shows = found } = act ?? {};
  const check = { id: 'check', type: 'human', title, shows, allowed: ['edit'] };
  const rejected = { from: 'check', port: 'rejected', to: 'no' };
  if (!act) return { nodes: [check, no], edges: [{ from: 'check', port: 'approved', to: 'end' }, rejected] };
  const given = '{{nodes.check.output.value}}';
  return {
    nodes: [check, { id: 'act', type: 'tool', title, tool: act.tool, arguments: given }, no],
    edges: [{ from: 'check', port: 'approved', to: 'act' }, { from: 'act', to: 'end' }, rejected],
  };
}
