import { useMemo, type ReactNode } from 'react';
import { useVitrine } from '../../../../src/react/react.ts';
import { visible } from '../../../../src/run/visible.ts';
import type { WholeVersion } from '../../../../src/wire/native/workflows.ts';
import { CanvasContext, type CanvasView } from '../../canvas/canvas-context.ts';
import { drawable } from '../../canvas/model/draft.ts';
import type { DraftGraph } from '../../canvas/model/draft-graph.ts';
import { formatIn } from '../../format.ts';
import { addressOf, Link } from '../../routing.tsx';
import { Bones, Failed } from '../../shell/states.tsx';
import { useLanguage } from '../../texts/texts.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import { useAsked } from '../../use-asked.ts';
import { useDesk } from '../desk.ts';
import { Inspector } from '../inspector.tsx';
import { fragmentOf, type View } from '../looking.ts';
import type { Loaded } from '../use-workflow.ts';
import { Middle } from '../workflow-middle.tsx';

interface VersionStageProps {
  readonly loaded: Loaded;
  readonly version: number;
  readonly view: View;
  /** Makes it what is drawn; absent where nothing may be changed. */
  readonly take?: ((graph: DraftGraph) => void) | undefined;
}

/** A version as it was published: to be looked at, and taken as the draft. */
export function VersionStage(props: VersionStageProps): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const { loaded, version } = props;
  const { value, failure, again } = useAsked(
    () => client.workflows.version(loaded.name, version),
    [client, loaded.name, version],
  );
  const graph = useMemo(() => value && drawable(value.graph), [value]);
  if (failure)
    return (
      <div className="p-6 grow">
        <Failed failure={failure} retry={again} />
      </div>
    );
  if (!value) return <Bones />;
  if (!graph) return <p className="p-6 grow">{w.notDrawable}</p>;
  return <Shown key={value.version} {...props} whole={value} graph={graph} />;
}

function Shown({
  loaded,
  whole,
  graph,
  view,
  take,
}: VersionStageProps & { readonly whole: WholeVersion; readonly graph: DraftGraph }): ReactNode {
  const w = useWorkflowTexts();
  const format = formatIn(useLanguage());
  const desk = useDesk({ ...loaded, isReadOnly: true }, graph, undefined);
  const { marked } = desk;
  const canvas = useMemo(
    (): CanvasView => ({
      isEditable: false,
      live: undefined,
      hasProblem: marked.of,
      openInPlace: undefined,
    }),
    [marked],
  );
  return (
    <CanvasContext value={canvas}>
      <div className="version-stage" data-version-shown={whole.version}>
        <div className="version-said" role="status">
          <span className="workflow-tag">{w.version(whole.version)}</span>
          {w.versions.shown(visible(whole.by), format.dateTime(whole.at))}
          <span className="grow" />
          <Link
            to={addressOf.workflow(loaded.name, fragmentOf({ view, side: 'versions' }))}
            className="button small"
          >
            {loaded.isReadOnly ? w.versions.toNewest : w.versions.toDraft}
          </Link>
          {take && (
            <button type="button" className="button small" onClick={() => take(graph)} data-take-version>
              {w.versions.take}
            </button>
          )}
        </div>
        <Middle desk={desk} name={loaded.name} view={view} isReadOnly />
      </div>
      {view !== 'yaml' && desk.chosen !== undefined && <Inspector desk={desk} isReadOnly />}
    </CanvasContext>
  );
}
