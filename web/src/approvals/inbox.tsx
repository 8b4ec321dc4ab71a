import type { ReactNode } from 'react';
import { MenuButton } from '../shell/shell.tsx';

export function Inbox(_: Readonly<Record<string, unknown>>): ReactNode {
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
      </div>
    </main>
  );
}
