import { useEffect, useState, type ReactNode } from 'react';
import type { FlatStep, FlatTree, RunStore } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { isBlobRef, type Json } from '../../../src/run/values.ts';
import { exactLines, visible } from '../../../src/run/visible.ts';
import { useTexts } from '../texts/texts.ts';
import { statesOf, type AgentStates } from './states.ts';

/** What agents remembered before a step and after it. */
export function StateView({
  run,
  tree,
  step,
}: {
  readonly run: RunStore;
  readonly tree: FlatTree;
  readonly step: FlatStep | undefined;
}): ReactNode {
  const t = useTexts();
  const states = statesOf(run.entries(), tree, step?.id ?? 0);
  if (states.length === 0) return <p className="quiet">{t.trace.noState}</p>;
  return states.map(({ agent, before, after }) => (
    <div key={agent} className="contents">
      <Remembered name={t.trace.stateBefore(visible(agent))} state={before} absent={t.trace.notInRun} />
      <Remembered name={t.trace.stateAfter(visible(agent))} state={after} absent={t.trace.unchanged} />
    </div>
  ));
}

function Remembered({
  name,
  state,
  absent,
}: {
  readonly name: string;
  readonly state: AgentStates['after'];
  readonly absent: string;
}): ReactNode {
  const whole = useWhole(state);
  return (
    <section className="part" data-state={name}>
      <h3 className="label">{name}</h3>
      {whole === undefined ? (
        <p className="quiet">{absent}</p>
      ) : (
        <pre className="mono" tabIndex={0} aria-label={name}>
          {exactLines(whole).join('\n')}
        </pre>
      )}
    </section>
  );
}

/** Also where it is kept beside the journal: its beginning until it is here. */
function useWhole(state: AgentStates['after']): Json | undefined {
  const client = useVitrine();
  const [loaded, setLoaded] = useState<Json>();
  const blob = isBlobRef(state) ? state.blob : undefined;
  useEffect(() => {
    if (blob === undefined) return;
    client.download(blob).then(
      (bytes) => setLoaded(JSON.parse(new TextDecoder().decode(bytes)) as Json),
      (thrown: unknown) => setLoaded(String(thrown)),
    );
  }, [client, blob]);
  if (isBlobRef(state)) return loaded ?? state.preview ?? '';
  return state as Json | undefined;
}
