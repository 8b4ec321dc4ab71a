// An app made up for tests of the screens: a team six levels deep, with an agent elsewhere, tools, failures, repeats, a plan,
// a question and work at the same time. It goes on one piece at a time, whenever it is let.
import type { Flow, Scope } from '../../src/engine/scope.ts';
import type { Gateway } from '../../src/gateways/gateway.ts';
import type { Attachment } from '../../src/run/values.ts';
import type { ServeSettings } from '../../src/server/serve.ts';
import type { Tool } from '../../src/tools/tool.ts';

export interface DeepTeam {
  readonly config: NonNullable<ServeSettings['config']>;
  /** Lets the next piece of work begin, where one waits to. */
  readonly goOn: () => void;
  readonly isWaiting: () => boolean;
}

type Pause = () => Promise<void>;

/** A file of a few words, one that is kept beside the journal, and a larger one. */
export const files: readonly Attachment[] = [
  { type: 'text/plain', title: 'small.txt', data: 'a few words' },
  { type: 'text/plain', title: 'kept.txt', data: `${'</script><!-- '.repeat(4_000)}the end of it` },
  { type: 'application/zip', title: 'large.zip', data: 'QUJD'.repeat(30_000) },
];

export function deepTeam(attached: readonly Attachment[] = []): DeepTeam {
  const waiting: (() => void)[] = [];
  const pause: Pause = () => new Promise((resolve) => void waiting.push(resolve));
  const run: Flow['run'] = (scope) => work(scope, { pause, attached });
  return {
    config: {
      apps: { team: { flow: { name: 'team', version: '1', run } } },
      agents: { speaker: { description: 'Speaks.', gateway: speaker(pause) } },
      tools: [weigh],
    },
    goOn: () => waiting.shift()?.(),
    isWaiting: () => waiting.length > 0,
  };
}

const weigh: Tool = {
  name: 'weigh',
  description: 'Weighs a thing; a feather breaks the scales.',
  effect: 'pure',
  schema: { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] },
  async run(given) {
    const { thing } = given as { readonly thing: string };
    if (thing.includes('feather')) throw new Error('The scales are broken.');
    return { grams: thing.length * 100 };
  },
};

/** Thinks, has a stage of its own, and speaks in pieces. */
function speaker(pause: Pause): Gateway {
  return {
    async *takeTurn() {
      await pause();
      yield [{ type: 'text.appended', channel: 'reasoning', text: 'Hmm.' }];
      yield [{ type: 'stage.opened', stage: 'a', title: 'Looks it up', kind: 'tool' }];
      await pause();
      yield [{ type: 'stage.appended', stage: 'a', text: 'found' }];
      yield [{ type: 'stage.closed', stage: 'a', outcome: 'completed' }];
      await pause();
      yield [{ type: 'text.appended', text: 'It is ' }];
      await pause();
      yield [{ type: 'text.appended', text: '**done**.' }];
      yield [{ type: 'turn.finished', reason: 'stop' }];
    },
  };
}

interface Work {
  readonly pause: Pause;
  readonly attached: readonly Attachment[];
}

async function work(scope: Scope, { pause, attached }: Work): Promise<string> {
  scope.plan(['down', 'both', 'tell'].map((key) => ({ key, title: key })));
  await scope.step({ key: 'down', title: 'Go down', kind: 'agent', agent: 'digger' }, (step) =>
    descend(step, 2, pause),
  );
  await scope.step({ key: 'both', title: 'Do both' }, (both) =>
    both.parallel({
      left: (branch) => talk(branch, 'Left', pause),
      right: (branch) => talk(branch, 'Right', pause),
    }),
  );
  await scope.ask({ key: 'may', title: 'May I tell?', arguments: { to: 'everybody' } });
  return scope.step({ key: 'tell', title: 'Tell', kind: 'answer' }, async (step) => {
    for (const attachment of attached) step.attach({ kind: 'attachment', attachment });
    await pause();
    return (await step.turn('speaker', { messages: [{ role: 'user', text: 'Tell it.' }] })).text;
  });
}

const deepest = 6;

async function descend(scope: Scope, level: number, pause: Pause): Promise<void> {
  await talk(scope, `Level ${level}`, pause);
  for (const thing of [`stone ${level}`, 'stone', `feather ${level}`]) {
    await scope.call('weigh', { thing });
    await pause();
  }
  if (level < deepest)
    await scope.step({ key: 'deeper', title: `Below ${level}`, query: `What is below ${level}?` }, (step) =>
      descend(step, level + 1, pause),
    );
}

async function talk(scope: Scope, name: string, pause: Pause): Promise<void> {
  const reasoning = `It is the turn of ${name}.`;
  await scope.step({ key: `talk ${name}`, title: name, reasoning }, async (step) => {
    for (const word of ['One', ' two', ' three', ' four', ' five', ' six']) {
      await pause();
      step.say(word);
    }
    step.notice('LOOKED', `${name} was looked at.`);
  });
}
