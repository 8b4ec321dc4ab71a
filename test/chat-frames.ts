/** Frames of an OpenAI chat completion stream, as a fake upstream sends them. */

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

const chunk = (delta: unknown, finish: string | null = null): string =>
  frame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

interface CallPiece {
  readonly index?: number;
  readonly id?: string | null;
  readonly name?: string | null;
  readonly arguments?: string;
}

export const frames = {
  of: frame,
  delta: chunk,
  text: (content: string): string => chunk({ content }),
  reasoning: (text: string): string => chunk({ reasoning_content: text }),
  call: ({ name, arguments: text, ...rest }: CallPiece): string =>
    chunk({
      tool_calls: [
        {
          ...rest,
          type: 'function',
          function: {
            ...(name === undefined ? {} : { name }),
            ...(text === undefined ? {} : { arguments: text }),
          },
        },
      ],
    }),
  finish: (reason = 'stop'): string => chunk({}, reason),
  usage: (input: number, output: number): string =>
    frame({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    }),
  error: (error: unknown): string => frame({ error }),
  done: 'data: [DONE]\n\n',
};
