import { Pause, Play, Square } from 'lucide-react';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import type { ListedRun } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { useTexts } from '../texts/texts.ts';

interface SteeringProps {
  readonly working: ListedRun;
  readonly isHeld: boolean;
}

/** Stop is there as long as anything of the run lives. */
export function Steering(props: SteeringProps): ReactNode {
  return (
    <>
      <PauseButton {...props} />
      <StopButton {...props} />
    </>
  );
}

function PauseButton({ working: { run, status }, isHeld }: SteeringProps): ReactNode {
  const t = useTexts();
  const client = useVitrine();
  const isPaused = status === 'paused';
  const word = isPaused ? t.chat.resume : t.chat.pause;
  return (
    <button
      type="button"
      className="button small"
      aria-label={word}
      disabled={isHeld}
      onClick={() => void (isPaused ? client.resume(run) : client.pause(run)).catch(() => undefined)}
    >
      {isPaused ? <Play className="icon small" aria-hidden /> : <Pause className="icon small" aria-hidden />}
      <span className="word">{word}</span>
    </button>
  );
}

function StopButton({ working: { run }, isHeld }: SteeringProps): ReactNode {
  const t = useTexts();
  const client = useVitrine();
  const [stopping, setStopping] = useState<string>();
  const stop = useCallback((): void => {
    setStopping(run);
    client.stop(run).catch(() => setStopping(undefined));
  }, [client, run]);
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
