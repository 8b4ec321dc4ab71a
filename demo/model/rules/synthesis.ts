import { meaningOf } from '../../../src/wire/sectioned-text.ts';
import { say, type Rule } from '../rule.ts';
import { joined } from '../words.ts';

interface AgentResponse {
  readonly agent: string;
  readonly text: string;
  readonly failure?: string;
}

/** Requests to write the answer from what agents said: nothing is added, and failures are explained. */
export const synthesis: Rule = {
  name: 'synthesis',
  reply({ question }) {
    const [, context, request] =
      /^(?:#+\s*)?CONTEXT:?\s*\n([\s\S]*)\n\s*(?:---\s*\n+\s*)?(?:#+\s*)?USER_REQUEST:?\s*\n?([\s\S]*)$/m.exec(
        question,
      ) ?? [];
    if (context === undefined || request === undefined) return undefined;
    const responses = responsesIn(context);
    const said = responses.filter(({ failure, text }) => failure === undefined && text !== '');
    const failed = responses.filter(({ failure }) => failure !== undefined);
    const parts =
      said.length === 1 && failed.length === 0 ? said.map(({ text }) => meaningOf(text)) : said.map(withName);
    for (const { agent, failure } of failed) parts.push(`**${agent}** could not help: ${failure}`);
    if (parts.length === 0) parts.push(`The agents said nothing about “${request.trim()}”.`);
    const agents = responses.map(({ agent }) => agent).filter((agent) => agent !== '');
    return say(parts.join('\n\n'), `put together what ${joined(agents) || 'the agent'} said`);
  },
};

function responsesIn(context: string): AgentResponse[] {
  const heading = /^Agent Response(?: \((.*)\))?:[^\S\n]*\n?/gm;
  const found = [...context.matchAll(heading)];
  if (found.length === 0) return [{ agent: '', text: context.trim() }];
  return found.map((match, i) => {
    const text = context.slice(match.index + match[0].length, found[i + 1]?.index).trim();
    const failure = /^\[failed: ([\s\S]*)\]$/.exec(text)?.[1];
    return { agent: match[1] ?? '', text, ...(failure === undefined ? {} : { failure }) };
  });
}

function withName({ agent, text }: AgentResponse): string {
  return agent === '' ? meaningOf(text) : `**${agent}**: ${meaningOf(text)}`;
}
