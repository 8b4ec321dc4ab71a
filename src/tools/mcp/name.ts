import { createHash } from 'node:crypto';
import { RunError } from '../../run/failure.ts';

const serverPattern = /^[a-zA-Z0-9-]+(?:_[a-zA-Z0-9-]+)*$/;
const longestServer = 24;
const longestName = 64;
const separator = '__';

/**
 * A server's name ends at the first `__` of a tool's name. It holds no `__` itself and neither do our own tools, so no
 * server can take the name of another one's tool, or of ours.
 */
export function checkServerName(name: string): void {
  if (serverPattern.test(name) && name.length <= longestServer) return;
  throw new RunError(
    'malformed',
    `The MCP server name "${name}" must be 1 to ${longestServer} letters, digits, "-" and single "_" between them.`,
  );
}

/** What models call the tools of a server: `server__tool`, in characters and a length that every model takes. */
export function nameTools(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const room = longestName - server.length - separator.length;
  const isPlain = (tool: string): boolean => /^[a-zA-Z0-9_-]+$/.test(tool) && tool.length <= room;
  // Names that need no change go first: otherwise a made-up one could push an honest one aside.
  for (const tool of tools.filter(isPlain)) {
    const name = server + separator + tool;
    names.set(tool, name);
    taken.add(name);
  }
  for (const tool of tools) {
    if (names.has(tool)) continue;
    const name = [8, 16, 24]
      .map((length) => server + separator + alter(tool, length, room))
      .find((one) => !taken.has(one));
    if (name === undefined) continue;
    names.set(tool, name);
    taken.add(name);
  }
  return names;
}

/** Two tools that look the same after the change still differ by the hash of what they were called. */
function alter(tool: string, length: number, room: number): string {
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, length);
  const readable = tool.replaceAll(/[^a-zA-Z0-9_-]+/g, '_').slice(0, room - length - 1);
  return `${readable}_${hash}`;
}
