import type { ReactNode } from 'react';
import type { Piece, Scale } from './pieces.ts';

/** What a step did in its time, from left to right. */
export function Bar({
  pieces,
  scale,
  isFailed,
  isCritical,
}: {
  readonly pieces: readonly Piece[];
  readonly scale: Scale;
  readonly isFailed: boolean;
  readonly isCritical: boolean;
}): ReactNode {
  const first = pieces[0];
  const last = pieces.at(-1);
  if (!first || !last) return undefined;
  return (
    <>
      {isCritical && <b className="bar-critical" style={placed(scale, first.from, last.to)} />}
      {pieces.map(({ is, from, to }, i) => (
        <b
          key={i}
          className={isFailed && i === pieces.length - 1 && is !== 'around' ? 'bar-failed' : `bar-${is}`}
          style={placed(scale, from, to)}
        />
      ))}
    </>
  );
}

export function placed(scale: Scale, from: number, to: number): { left: string; width: string } {
  const left = scale.place(from);
  return { left: `${100 * left}%`, width: `${100 * Math.max(0, scale.place(to) - left)}%` };
}
