import type { Reply, Rule } from './rule.ts';
import { say } from './rule.ts';
import { calculations } from './rules/calculations.ts';
import { charts } from './rules/charts.ts';
import { designing } from './rules/designing.ts';
import { documents } from './rules/documents.ts';
import { notices, roster, spares } from './rules/duty-desk.ts';
import { files } from './rules/files.ts';
import { identity, judging, plainForm } from './rules/help.ts';
import { runbooks, tickets } from './rules/knowledge.ts';
import { forcedTools, namedTools } from './rules/named-tools.ts';
import { dispatch, telemetry, topology } from './rules/network.ts';
import { enhancing, passages, skillPlanning } from './rules/pipeline.ts';
import { routing } from './rules/routing.ts';
import { synthesis } from './rules/synthesis.ts';
import { users } from './rules/users.ts';
import { web } from './rules/web.ts';
import type { Situation } from './situation.ts';

/** All that the model knows. The first rule that has something to say decides. */
const rules: readonly Rule[] = [
  routing,
  enhancing,
  skillPlanning,
  designing,
  judging,
  plainForm,
  synthesis,
  identity,
  passages,
  namedTools,
  users,
  dispatch,
  topology,
  telemetry,
  runbooks,
  tickets,
  roster,
  spares,
  notices,
  charts,
  calculations,
  web,
  files,
  documents,
  forcedTools,
];

/** What the model says next, and by which rule. */
export function decide(situation: Situation): Reply & { readonly rule: string } {
  for (const rule of rules) {
    const reply = rule.reply(situation);
    if (!reply) continue;
    // Whoever insists on a call must get one, so a rule that would rather talk gives way.
    if (situation.mustCall !== undefined && reply.calls.length === 0 && situation.tools.size > 0) continue;
    return { ...reply, rule: rule.name };
  }
  return { ...say(unknown(situation), 'no rule matches'), rule: 'none' };
}

/** Honest about not knowing, and about what would work here. */
function unknown(situation: Situation): string {
  // Any tool can be asked for by its name, but what it is good for comes first.
  const telling = [...rules.filter((rule) => rule !== namedTools), namedTools];
  const examples = telling
    .flatMap((rule) => rule.example?.(situation) ?? [])
    .map((example) => `- ${example}`);
  const what =
    examples.length > 0
      ? `With the tools I have here, you can ask:\n\n${examples.join('\n')}`
      : 'I have no tools here, so I can only tell who I am and put together what agents have said.';
  const tried = [...new Set(situation.results.map(({ tool }) => tool))].join(' and ');
  const inVain = tried === '' ? '' : ` I tried ${tried} and found nothing about it.`;
  const others = situation.others === '' ? '' : `\n\nOthers here know more:\n\n${situation.others}`;
  return `I am a scripted model, and none of my rules matches that question.${inVain} ${what}${others}`;
}
