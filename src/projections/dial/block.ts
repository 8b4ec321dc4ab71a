import { usageOf, wholeOf, type ChatFrame } from '../chat/chat.ts';

interface Piece {
  readonly index: number;
  readonly name?: string;
  readonly content?: string;
  readonly status?: string | null;
  readonly attachments?: readonly object[];
  readonly parent_stage_index?: number;
}

interface Custom {
  readonly stages?: readonly Piece[];
  readonly attachments?: readonly object[];
  readonly state?: unknown;
}

interface Chunk {
  readonly choices?: readonly { readonly delta: { readonly custom_content?: Custom } }[];
  readonly id?: string;
  readonly model?: string;
  readonly created?: number;
  readonly statistics?: unknown;
}

/** A message of DIAL in one piece: pieces of a stage are joined, and its index is its place. */
export function dialBlock(frames: readonly ChatFrame[]): object {
  const { content, ended, finish } = wholeOf(frames);
  const chunks = frames.flatMap(({ data }) => (data === '[DONE]' ? [] : [data as Chunk]));
  const customs = chunks.flatMap(({ choices = [] }) =>
    choices.flatMap(({ delta }) => delta.custom_content ?? []),
  );
  const stages = new Map<number, Record<string, unknown>>();
  for (const piece of customs.flatMap((custom) => custom.stages ?? []))
    stages.set(piece.index, joined(stages.get(piece.index), piece));
  const attachments = customs.flatMap((custom) => unindexed(custom.attachments ?? []));
  const state = customs.findLast((custom) => custom.state !== undefined)?.state;
  const [{ id, model, created } = {}] = chunks;
  const custom = {
    ...(stages.size > 0 ? { stages: [...stages.values()] } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(state === undefined ? {} : { state }),
  };
  return {
    choices: [
      { index: 0, finish_reason: finish, message: { role: 'assistant', custom_content: custom, content } },
    ],
    usage: usageOf(ended?.usage ?? { input: 0, output: 0 }),
    id,
    model,
    created,
    object: 'chat.completion',
    statistics: chunks.findLast(({ statistics }) => statistics !== undefined)?.statistics,
  };
}

function joined(known: Record<string, unknown> | undefined, piece: Piece): Record<string, unknown> {
  const { index: _index, name = '', content = '', status, attachments = [], ...more } = piece;
  const before = (known ?? {}) as Partial<Piece>;
  return {
    ...before,
    ...more,
    name: (before.name ?? '') + name,
    content: (before.content ?? '') + content,
    status: status ?? before.status ?? null,
    ...(attachments.length > 0 || before.attachments
      ? { attachments: [...(before.attachments ?? []), ...unindexed(attachments)] }
      : {}),
  };
}

function unindexed(attachments: readonly object[]): readonly object[] {
  return attachments.map((one) =>
    Object.fromEntries(Object.entries(one).filter(([name]) => name !== 'index')),
  );
}
