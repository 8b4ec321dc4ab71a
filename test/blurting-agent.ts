import type { AgentEvent, Gateway } from '../src/gateways/gateway.ts';

/** Says what its message names, in every way an agent has, each cut into the two pieces that its name stands for. */
export function blurtingAgent(piecesOf: (cut: string) => readonly [string, string]): Gateway {
  return {
    async *takeTurn({ messages }): AsyncGenerator<readonly AgentEvent[]> {
      for (const cut of (messages.at(-1)?.text ?? '').split(' ')) {
        const [one, two] = piecesOf(cut);
        for (const channel of ['content', 'reasoning'] as const) {
          yield [{ type: 'text.appended', channel, text: `so ${one}` }];
          yield [{ type: 'text.appended', channel, text: `${two} is it. ` }];
        }
        yield [{ type: 'call.appended', call: cut, tool: 't', text: `{"a":"${one}` }];
        yield [{ type: 'call.appended', call: cut, text: `${two}"}` }];
        yield [{ type: 'stage.opened', stage: cut, title: one }];
        yield [{ type: 'stage.titled', stage: cut, text: two }];
        yield [{ type: 'stage.appended', stage: cut, text: one }];
        yield [{ type: 'stage.appended', stage: cut, text: two }];
        yield [
          { type: 'item.attached', item: { kind: 'citation', title: one + two, quote: `q ${one}${two}` } },
        ];
      }
    },
  };
}
