import { Pause, Play, Square } from 'lucide-react';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import type { ListedRun } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { useTexts } from '../texts/texts.ts';
import { wordsOf } from './use-sending.ts';

interface SteeringProps {
  readonly working: ListedRun;
  readonly isHeld: boolean;
}

interface ButtonProps extends SteeringProps {
  /** Says what did not work. */
  readonly tell: (problem: string | undefined) => void;
}

/** Stop is there as long as anything of the run lives. */
export function Steering(props: SteeringProps): ReactNode {
  const [problem, tell] = useState<string>();
  return (
    <>
      {problem !== undefined && (
        <span className="fail cut" role="alert">
          {visible(problem)}
        </span>
      )}
      <PauseButton {...props} tell={tell} />
      <StopButton {...props} tell={tell} />
    </>
  );
}

function PauseButton({ working: { run, status }, isHeld, tell }: ButtonProps): ReactNode {
  const t = useTexts();
  const client = useVitrine();
  const isPaused = status === 'paused';
  const word = isPaused ? t.chat.resume : t.chat.pause;
  const turn = (): void => {
    tell(undefined);
    (isPaused ? client.resume(run) : client.pause(run)).catch((thrown: unknown) => tell(wordsOf(thrown)));
  };
  return (
    <button type="button" className="button small" aria-label={word} disabled={isHeld} onClick={turn}>
      {isPaused ? <Play className="icon small" aria-hidden /> : <Pause className="icon small" aria-hidden />}
      <span className="word">{word}</span>
    </button>
  );
}

function StopButton({ working: { run }, isHeld, tell }: ButtonProps): ReactNode {
  const t = useTexts();
  const client = useVitrine();
  const [stopping, setStopping] = useState<string>();
  const stop = useCallback((): void => {
    setStopping(run);
    tell(undefined);
    client.stop(run).catch((thrown: unknown) => {
      setStopping(undefined);
      tell(wordsOf(thrown));
    });
  }, [client, run, tell]);
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      // A menu or dialog that is open is what Escape closes.
      const isTaken =
        event.defaultPrevented || document.querySelector('.dialog, .menu, .rejecting, .draft') !== null;
      if (event.key === 'Escape' && !isTaken) stop();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, [stop]);
  const isStopping = stopping === run;
  return (
    <button
      type="button"
      className="button small primary"
      disabled={isHeld || isStopping}
      onClick={stop}
      data-stop
    >
      <Square className="icon small" aria-hidden fill="currentColor" />
      {isStopping ? t.chat.stopping : t.chat.stop}
      <kbd>Esc</kbd>
    </button>
  );
}
