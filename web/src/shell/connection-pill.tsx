import type { ReactNode } from 'react';
import type { RunStore } from '../../../src/client/client.ts';
import { useSource } from '../../../src/react/react.ts';
import { isAway } from '../server.ts';
import { useTexts } from '../texts/texts.ts';

/** How we stand with the server: where a run is watched, with how far that has come. */
export function ConnectionPill({ run }: { readonly run?: RunStore | undefined }): ReactNode {
  return run ? <RunPill run={run} /> : <ServerPill />;
}

function ServerPill(): ReactNode {
  const t = useTexts();
  const away = useSource(isAway);
  return <Pill look={away ? 'away' : 'live'} text={away ? t.connection.away : t.connection.live} />;
}

function RunPill({ run }: { readonly run: RunStore }): ReactNode {
  const t = useTexts();
  const away = useSource(isAway);
  const connection = useSource(run.connection);
  switch (connection.is) {
    case 'away':
      return <Pill look="away" text={t.connection.awayAt(connection.resumesAt)} />;
    case 'catching up':
      return <Pill look="catching" text={t.connection.catchingUp(connection.entries)} />;
    case 'connecting':
      return <Pill look="catching" text={t.connection.connecting} />;
    case 'live':
    case 'over':
    case 'refused':
      return <Pill look={away ? 'away' : 'live'} text={away ? t.connection.away : t.connection.live} />;
  }
}

function Pill({ look, text }: { readonly look: string; readonly text: string }): ReactNode {
  return (
    <span className={`pill ${look}`} role="status" data-connection={look}>
      <span className="dot" aria-hidden />
      {text}
    </span>
  );
}
