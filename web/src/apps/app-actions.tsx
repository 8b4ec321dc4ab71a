import { Menu } from '@base-ui/react/menu';
import { Ellipsis, MessageSquare } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { RunError } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import type { ListedApp } from '../../../src/wire/native/apps.ts';
import { addressOf, Link, navigate } from '../routing.tsx';
import { announce } from '../shell/announce.tsx';
import { useAppTexts } from '../texts/app-texts.ts';

/** What can be done with an app from the list. */
export function AppActions({
  listed: { name, title, state, flow, readOnly },
  changed,
}: {
  readonly listed: ListedApp;
  readonly changed: () => void;
}): ReactNode {
  const a = useAppTexts();
  const { applications } = useVitrine();
  const [said, setSaid] = useState('');
  const [isSure, setSure] = useState(false);
  const act = (ask: () => Promise<unknown>, words: string): void => {
    ask().then(
      () => {
        setSaid('');
        if (words !== '') announce(words);
        changed();
      },
      (thrown: unknown) => setSaid(thrown instanceof RunError ? thrown.message : String(thrown)),
    );
  };
  const clone = async (): Promise<void> => {
    const made = await applications.clone(name, a.copyOf(title));
    navigate(addressOf.app(made.name));
  };
  const items = [
    { is: 'clone', name: a.clone, can: true, act: () => act(clone, '') },
    {
      is: 'archive',
      name: a.archive,
      can: !readOnly && state === 'published',
      act: () => act(() => applications.archive(name), a.archived(title)),
    },
    {
      is: 'restore',
      name: a.restore,
      can: !readOnly && state === 'archived',
      act: () => act(() => applications.restore(name), a.restored(title)),
    },
  ].filter(({ can }) => can);
  return (
    <span className="app-actions">
      {said !== '' && (
        <span className="problem" role="alert">
          {visible(said)}
        </span>
      )}
      {state === 'published' && (
        <Link to={addressOf.appChat(name)} className="button small" data-chat-with={name}>
          <MessageSquare className="icon small" aria-hidden />
          {a.chat}
          <span className="unseen">{visible(title)}</span>
        </Link>
      )}
      {flow === 'pipeline' && (
        <Menu.Root onOpenChange={() => setSure(false)}>
          <Menu.Trigger
            className="button ghost small square"
            aria-label={a.actions(visible(title))}
            data-actions={name}
          >
            <Ellipsis className="icon" aria-hidden />
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner className="placed" side="bottom" align="end" sideOffset={4}>
              <Menu.Popup className="menu">
                {items.map((item) => (
                  <Menu.Item key={item.is} className="item" onClick={item.act} data-do={item.is}>
                    {item.name}
                  </Menu.Item>
                ))}
                {!readOnly && state !== 'published' && (
                  <Menu.Item
                    className="item"
                    closeOnClick={isSure}
                    onClick={() =>
                      isSure ? act(() => applications.erase(name), a.erased(title)) : setSure(true)
                    }
                    data-do="erase"
                  >
                    {isSure ? a.eraseSure : a.erase}
                  </Menu.Item>
                )}
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      )}
    </span>
  );
}
