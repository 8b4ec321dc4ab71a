import type { AskedCall, Audience, CallOutcome } from '../agent/agent-turn.ts';
import type { DialAnswer } from '../dial/dial-answer.ts';
import type { DialStage } from '../dial/dial-stage.ts';
import { Found } from './found.ts';

/** Shows a turn as the console reads it: each query with its results and sources, and then what they mean. */
export function showAnswer(answer: DialAnswer, model: string): Audience {
  const citations: string[] = [];
  let hasResults = false;
  let isAnalysing = false;
  return {
    say(text) {
      if (hasResults && !isAnalysing) answer.say('---ANALYSIS---\n');
      isAnalysing = hasResults;
      answer.say(text);
    },
    think: () => undefined,
    begin(call) {
      const stage = answer.stage(call.tool);
      stage.say(`${call.arguments}\n`);
      return {
        say: (text) => stage.say(text),
        attach: () => undefined,
        end(outcome) {
          // Whatever was said before came too early to be the analysis.
          if (isAnalysing) answer.say('\n');
          isAnalysing = false;
          hasResults = tellResults(answer, outcome, citations) || hasResults;
          closeStage(stage, call, outcome);
        },
      };
    },
    use: ({ input, output }) => answer.use({ model, input, output }),
  };
}

/** Sources are numbered through, and each is named once. */
function tellResults(answer: DialAnswer, outcome: CallOutcome, citations: string[]): boolean {
  const found = outcome.ok ? Found.safeParse(outcome.result).data : undefined;
  if (!found) return false;
  for (const results of found.results) {
    answer.say(`---QUERY---\n${found.query}\n`);
    answer.say(`---RESULTS---\n${JSON.stringify(results)}\n`);
  }
  const fresh = (found.citations ?? []).filter((citation) => !citations.includes(citation));
  const numbered = fresh.map((citation, i) => `[${citations.length + i + 1}] ${citation}`);
  if (fresh.length > 0) answer.say(`---CITATIONS---\n${numbered.join('\n')}\n`);
  citations.push(...fresh);
  return true;
}

function closeStage(stage: DialStage, { tool }: AskedCall, outcome: CallOutcome): void {
  const found = outcome.ok ? Found.safeParse(outcome.result).data : undefined;
  if (found) stage.say(`\`\`\`\n${found.query}\n\`\`\`\n${found.finding}\n`);
  else stage.say(outcome.ok ? `${tool} has been done.\n` : `${outcome.error}\n`);
  stage.close(outcome.ok ? 'completed' : 'failed');
}
