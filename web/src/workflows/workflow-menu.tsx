import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { RunError } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { addressOf, navigate } from '../routing.tsx';
import { announce } from '../shell/announce.tsx';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { CloneDialog } from './clone-dialog.tsx';
import { fragmentOf, type Looking } from './looking.ts';
import type { Loaded } from './use-workflow.ts';

interface WorkflowMenuProps {
  readonly loaded: Loaded;
  readonly looking: Looking;
  /** The newest that is published; 0 where nothing is. */
  readonly version: number;
  /** What became of it, in a sentence. */
  readonly say: (sentence: string) => void;
  readonly moved: () => void;
}

/** What is seldom done with a workflow. */
export function WorkflowMenu({ loaded, looking, version, say, moved }: WorkflowMenuProps): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const [isCloning, setCloning] = useState(false);
  const { name, isReadOnly } = loaded;
  const open = (side: 'versions' | 'schedules') => (): void =>
    navigate(addressOf.workflow(name, fragmentOf({ view: looking.view, side })));
  const archive = async (): Promise<void> => {
    try {
      await client.workflows.archive(name);
      announce(w.menu.archived);
      say(w.menu.archived);
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      say(thrown.failure.message);
    }
    moved();
  };
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="button ghost small square" aria-label={w.menu.label} data-workflow-menu>
          <Ellipsis className="icon" aria-hidden />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="placed" sideOffset={6} align="end">
            <Menu.Popup className="menu">
              <Menu.Item className="item" onClick={open('versions')} data-open-versions>
                {w.versions.title}
              </Menu.Item>
              <Menu.Item className="item" onClick={open('schedules')} data-open-schedules>
                {w.schedule.title}
              </Menu.Item>
              <hr />
              <Menu.Item className="item" onClick={() => setCloning(true)} data-clone>
                {w.menu.clone}
              </Menu.Item>
              {!isReadOnly && version > 0 && (
                <Menu.Item className="item" onClick={() => void archive()} data-archive>
                  {w.menu.archive}
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <CloneDialog name={name} version={looking.version} isOpen={isCloning} close={() => setCloning(false)} />
    </>
  );
}
