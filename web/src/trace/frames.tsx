import { useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { RunStore } from '../../../src/client/client.ts';
import { exactLines } from '../../../src/run/visible.ts';
import { server } from '../server.ts';
import { Failed } from '../shell/states.tsx';
import { choice, useSetting } from '../setting.ts';
import { useTexts } from '../texts/texts.ts';
import { protocols } from './protocols.ts';
import { RecordedContext } from './recorded.ts';
import { encodeAll } from '../../../src/run/entries.ts';

const protocol = choice('trace.protocol', protocols);
/** The most that is shown of it. Characters. */
const most = 200_000;

/** What a client of any protocol gets of this run, frame by frame as it is sent. */
export function Frames({ run }: { readonly run: RunStore }): ReactNode {
  return useContext(RecordedContext) ? <OwnFrames run={run} /> : <SentFrames run={run.run} />;
}

/** Without a server: the frames of its own stream, which are what was recorded. */
function OwnFrames({ run }: { readonly run: RunStore }): ReactNode {
  const t = useTexts();
  const text = useMemo(() => encodeAll(run.entries()).slice(0, most), [run]);
  return (
    <>
      <p className="quiet">{t.trace.ownFrames}</p>
      <FrameText as="steps" text={text} />
    </>
  );
}

function SentFrames({ run }: { readonly run: string }): ReactNode {
  const t = useTexts();
  const as = useSetting(protocol);
  const [text, setText] = useState('');
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    setText('');
    setFailed(undefined);
    const show = async (): Promise<void> => {
      for await (const all of received(run, as, leaving.signal)) setText(all);
    };
    show().catch((thrown: unknown) => {
      if (!leaving.signal.aborted) setFailed(thrown instanceof Error ? thrown.message : String(thrown));
    });
    return () => leaving.abort();
  }, [run, as]);
  return (
    <>
      <label className="frames-choice">
        <span className="label">{t.trace.protocol}</span>
        <select
          className="field"
          value={as}
          onChange={(event) => protocol.set(protocols.find((one) => one === event.target.value) ?? 'steps')}
        >
          {protocols.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {failed === undefined ? undefined : <Failed failure={{ code: 'unavailable', message: failed }} />}
      <FrameText as={as} text={text} />
    </>
  );
}

function FrameText({ as, text }: { readonly as: string; readonly text: string }): ReactNode {
  const t = useTexts();
  return (
    <>
      <pre className="mono frames" tabIndex={0} aria-label={t.trace.tabs.frames} data-frames={as}>
        {exactLines(text).join('\n')}
      </pre>
      {text.length >= most && <p className="quiet">{t.trace.cut}</p>}
    </>
  );
}

/** All that comes so far, whenever more of it does. */
async function* received(run: string, as: string, signal: AbortSignal): AsyncGenerator<string> {
  const send = server.fetch ?? fetch;
  const response = await send(`${server.url}/api/runs/${encodeURIComponent(run)}/events?as=${as}`, {
    signal,
  });
  if (!response.ok || !response.body) throw new Error(`The server answered ${response.status}.`);
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    yield text.slice(0, most);
    if (text.length >= most) return;
  }
}
