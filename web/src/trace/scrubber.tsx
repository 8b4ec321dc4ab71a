import { CircleX, Hand, Pause, Play, SkipBack, SkipForward } from 'lucide-react';
import { useContext, type ReactNode } from 'react';
import { useSetting } from '../setting.ts';
import { useTexts } from '../texts/texts.ts';
import { RecordedContext } from './recorded.ts';
import { Track, type Scrubbing } from './track.tsx';
import { pauses, speed, speeds } from './use-replay.ts';

/** Goes to any moment of a run: by pointer, by key, by playing it. */
export function Scrubber(scrubbing: Scrubbing): ReactNode {
  const t = useTexts();
  return (
    <div className="scrubber" role="group" aria-label={t.trace.replay}>
      <Player {...scrubbing} />
      <Track {...scrubbing} />
      <Jumps {...scrubbing} />
    </div>
  );
}

function Player({ replay }: Scrubbing): ReactNode {
  const t = useTexts();
  const Icon = replay.isPlaying ? Pause : Play;
  return (
    <div className="scrub-buttons">
      <button
        type="button"
        className="button ghost small square"
        aria-label={t.trace.previousEvent}
        onClick={() => replay.move(-1)}
      >
        <SkipBack className="icon" aria-hidden />
      </button>
      <button
        type="button"
        className="scrub-play"
        aria-label={replay.isPlaying ? t.trace.pause : t.trace.play}
        onClick={() => replay.play(!replay.isPlaying)}
        data-play
      >
        <Icon className="icon" aria-hidden />
      </button>
      <button
        type="button"
        className="button ghost small square"
        aria-label={t.trace.nextEvent}
        onClick={() => replay.move(1)}
      >
        <SkipForward className="icon" aria-hidden />
      </button>
      <Pace />
    </div>
  );
}

function Pace(): ReactNode {
  const t = useTexts();
  const factor = useSetting(speed);
  const pausing = useSetting(pauses);
  return (
    <>
      <select
        className="scrub-speed"
        aria-label={t.trace.speed}
        value={factor}
        onChange={(event) => speed.set(speeds.find((one) => one === event.target.value) ?? '1')}
      >
        {speeds.map((one) => (
          <option key={one} value={one}>
            {one}×
          </option>
        ))}
      </select>
      <label className="scrub-jump">
        <input
          type="checkbox"
          checked={pausing === 'jump'}
          onChange={(event) => pauses.set(event.target.checked ? 'jump' : 'keep')}
        />
        {t.trace.jump}
      </label>
    </>
  );
}

function Jumps({ head, at, replay, timing }: Scrubbing): ReactNode {
  const t = useTexts();
  const isRecorded = useContext(RecordedContext) !== undefined;
  const jumps = [
    { is: 'failure', name: t.trace.nextFailure, icon: CircleX },
    { is: 'asked', name: t.trace.nextApproval, icon: Hand },
  ] as const;
  return (
    <div className="scrub-buttons">
      {jumps.map(({ is, name, icon: Icon }) => (
        <button
          key={is}
          type="button"
          className="button ghost small"
          disabled={timing.marks.every((mark) => mark.is !== is)}
          onClick={() => replay.next(is)}
          data-next={is}
        >
          <Icon className="icon small" aria-hidden />
          {name}
        </button>
      ))}
      <span className="num scrub-at" data-at={at ?? head}>
        {t.trace.of(at ?? head, head)}
      </span>
      <button
        type="button"
        className="button small"
        disabled={at === undefined}
        onClick={() => replay.seek()}
        data-live
      >
        <span className="live-dot" aria-hidden />
        {timing.isOver || isRecorded ? t.trace.toEnd : t.trace.toLive}
      </button>
    </div>
  );
}
