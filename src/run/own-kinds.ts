/** What our own steps are, and what others are judged and remembered by: a step that is told by somebody else is none of them. */
const own: ReadonlySet<string> = new Set(['run', 'turn', 'ask', 'agent', 'answer']);

export function isOwnKind(kind: string): boolean {
  return own.has(kind);
}

/** The kind of a step of another run, as it may be shown in this one. */
export function stageKind(kind: string): string {
  return isOwnKind(kind) ? 'stage' : kind;
}
