import { Compass, Sparkle } from 'lucide-react';
import type { CSSProperties, ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';

/** None between 0 and 110: red and amber belong to failure and to people. Neighbours are far apart on the wheel. */
const hues = [148, 256, 340, 130, 202, 292, 166, 274, 220, 112, 184, 238, 314];

const known = new Map<string, number>();

/** The colour of an agent comes from its id, so it is the same everywhere and always. */
function hueOf(agent: string): number {
  const hue = known.get(agent) ?? reckoned(agent);
  known.set(agent, hue);
  return hue;
}

function reckoned(agent: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(agent)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hues[(hash >>> 24) % hues.length] ?? 228;
}

/** The square of an agent; the coordinator and bare models have one without a colour. */
export function AgentMark({
  agent,
  title,
  look = 'agent',
}: {
  readonly agent: string;
  readonly title: string;
  readonly look?: 'agent' | 'coordinator' | 'model';
}): ReactNode {
  if (look !== 'agent') {
    const Icon = look === 'coordinator' ? Compass : Sparkle;
    return (
      <span className="agent neutral" aria-hidden>
        <span className="square-mark">
          <Icon className="icon" />
        </span>
      </span>
    );
  }
  const hue = { '--agent-hue': hueOf(agent) } as CSSProperties;
  return (
    <span className="agent" style={hue} aria-hidden>
      <span className="square-mark">{monogram(title)}</span>
    </span>
  );
}

function monogram(title: string): string {
  const words = visible(title)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const [first = '?', second] = words;
  return (second === undefined ? first.slice(0, 2) : `${first[0] ?? ''}${second[0] ?? ''}`).toUpperCase();
}
