import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RunSnapshot, RunStore } from '../../../src/client/client.ts';
import { choice, useSetting } from '../setting.ts';
import { Playhead } from './playhead.ts';
import { timingOf, type Mark } from './timing.ts';

/** The whole is drawn anew at most so often: while it is live, and while somebody looks for a moment. Milliseconds. */
const pace = { live: 80, replay: 16 };

/** A run as it is to be shown. The first of several changes is drawn at once: whoever points at a moment waits for nothing. */
export function useMoment(run: RunStore): RunSnapshot {
  const [moment, setMoment] = useState(() => run.getSnapshot());
  useEffect(() => {
    let resting: ReturnType<typeof setTimeout> | undefined;
    let isBehind = false;
    const look = (): void => {
      isBehind = resting !== undefined;
      if (isBehind) return;
      const now = run.getSnapshot();
      setMoment(now);
      resting = setTimeout(
        () => {
          resting = undefined;
          if (isBehind) look();
        },
        now.at === undefined ? pace.live : pace.replay,
      );
    };
    look();
    const leave = run.subscribe(look);
    return () => {
      clearTimeout(resting);
      leave();
    };
  }, [run]);
  return moment;
}

export const speed = choice('trace.speed', ['1', '0.5', '2', '4', '8', '16']);
export const speeds = ['0.5', '1', '2', '4', '8', '16'] as const;
/** Whether what is played goes on at once where nothing happens. */
export const pauses = choice('trace.pauses', ['jump', 'keep']);

/** What can be done with the time of a run. */
export interface Replay {
  readonly isPlaying: boolean;
  /** Shows the run as it was when this entry was the last; without one, as it is now. */
  readonly seek: (at?: number) => void;
  readonly move: (by: number) => void;
  readonly play: (isPlaying: boolean) => void;
  /** The next of these after what is shown; from the beginning where there is none. */
  readonly next: (is: Mark['is']) => void;
}

export function useReplay(run: RunStore): Replay {
  const [isPlaying, setPlaying] = useState(false);
  const factor = Number(useSetting(speed));
  const jumps = useSetting(pauses) === 'jump';
  const seek = useCallback(
    (at?: number) => {
      setPlaying(false);
      run.seek(at);
    },
    [run],
  );
  usePlaying(run, { isPlaying, factor, jumps, stop: () => setPlaying(false) });
  useEffect(() => () => run.seek(), [run]);
  return useMemo(
    () => ({
      isPlaying,
      seek,
      move: (by) => {
        const { at, head } = run.getSnapshot();
        seek(Math.min(head, Math.max(1, (at ?? head) + by)));
      },
      play: (starts) => {
        const { at, head } = run.getSnapshot();
        // What stands at its end begins anew.
        if (starts && (at === undefined || at >= head)) run.seek(1);
        setPlaying(starts);
      },
      next: (is) => {
        const { at = 0 } = run.getSnapshot();
        const { marks } = timingOf(run);
        const found =
          marks.find((mark) => mark.is === is && mark.seq > at) ?? marks.find((mark) => mark.is === is);
        if (found) seek(found.seq);
      },
    }),
    [isPlaying, run, seek],
  );
}

interface Playing {
  readonly isPlaying: boolean;
  readonly factor: number;
  readonly jumps: boolean;
  readonly stop: () => void;
}

function usePlaying(run: RunStore, { isPlaying, factor, jumps, stop }: Playing): void {
  const stopping = useRef(stop);
  stopping.current = stop;
  useEffect(() => {
    if (!isPlaying) return undefined;
    const head = new Playhead(run.entries(), run.getSnapshot().at ?? 0, { jumps });
    let before = performance.now();
    let drawing = requestAnimationFrame(function draw(now) {
      const seq = head.advance((now - before) * factor);
      before = now;
      if (seq !== run.getSnapshot().at) run.seek(seq);
      if (head.isAtEnd) stopping.current();
      else drawing = requestAnimationFrame(draw);
    });
    return () => cancelAnimationFrame(drawing);
  }, [run, isPlaying, factor, jumps]);
}
