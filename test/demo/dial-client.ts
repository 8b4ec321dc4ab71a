// A plain client of DIAL applications: sends a request, and merges the chunks as DIAL Chat does.

export interface SeenStage {
  index: number;
  name: string;
  content: string;
  status: string | null;
  parent: number | undefined;
  attachments: Record<string, string>[];
}

export interface Seen {
  status: number;
  text: string;
  chunks: Record<string, unknown>[];
  comments: string[];
  content: string;
  stages: Map<number, SeenStage>;
  attachments: Record<string, string>[];
  state: unknown;
  isDone: boolean;
}

interface Piece {
  index: number;
  name?: string | null;
  content?: string;
  status?: string | null;
  parent_stage_index?: number;
  attachments?: Record<string, string>[];
}

interface Chunk {
  choices?: {
    delta: {
      content?: string;
      custom_content?: { stages?: Piece[]; attachments?: Record<string, string>[]; state?: unknown };
    };
  }[];
}

export function postDial(url: string, deployment: string, body: unknown): Promise<Response> {
  return fetch(`${url}/openai/deployments/${deployment}/chat/completions?api-version=2025-01-01-preview`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-key': 'demo', 'x-conversation-id': 'c%2F1' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export async function askDial(url: string, deployment: string, messages: unknown): Promise<Seen> {
  const response = await postDial(url, deployment, { messages, stream: true });
  return merge(response.status, await response.text());
}

export function merge(status: number, text: string): Seen {
  const seen: Seen = {
    status,
    text,
    chunks: [],
    comments: [],
    content: '',
    stages: new Map(),
    attachments: [],
    state: undefined,
    isDone: false,
  };
  for (const event of text.split('\n\n').filter((each) => each !== '')) {
    if (event.startsWith(':')) seen.comments.push(event);
    else if (event === 'data: [DONE]') seen.isDone = true;
    else {
      const chunk: Chunk & Record<string, unknown> = JSON.parse(event.slice('data: '.length));
      seen.chunks.push(chunk);
      take(seen, chunk);
    }
  }
  return seen;
}

function take(seen: Seen, { choices }: Chunk): void {
  const { content, custom_content: custom } = choices?.[0]?.delta ?? {};
  seen.content += content ?? '';
  seen.attachments.push(...(custom?.attachments ?? []));
  if (custom?.state !== undefined) seen.state = custom.state;
  for (const piece of custom?.stages ?? []) {
    const stage = seen.stages.get(piece.index) ?? {
      index: piece.index,
      name: '',
      content: '',
      status: null,
      parent: piece.parent_stage_index,
      attachments: [],
    };
    stage.name += piece.name ?? '';
    stage.content += piece.content ?? '';
    stage.status = piece.status ?? stage.status;
    stage.attachments.push(...(piece.attachments ?? []));
    seen.stages.set(piece.index, stage);
  }
}

/** How deep a stage lies, counted from 1. */
export function depthOf(stages: ReadonlyMap<number, SeenStage>, index: number): number {
  const parent = stages.get(index)?.parent;
  return parent === undefined ? 1 : 1 + depthOf(stages, parent);
}
