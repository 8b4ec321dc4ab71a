import {
  House,
  Inbox,
  LayoutGrid,
  ListTree,
  MessageSquare,
  Menu as MenuIcon,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useRuns, useSource } from '../../../src/react/react.ts';
import { News } from '../approvals/news.ts';
import { ConversationList } from '../chat/conversation-list.tsx';
import { addressOf, Link, type Place } from '../routing.tsx';
import { isAway } from '../server.ts';
import { useTexts } from '../texts/texts.ts';
import { Announcements } from './announce.tsx';
import { Person } from './person.tsx';

interface SideMenu {
  readonly isOpen: boolean;
  readonly open: (isOpen: boolean) => void;
}
const SideMenuContext = createContext<SideMenu>({ isOpen: false, open: () => {} });

/** The frame around every screen: where one can go, the conversations, who one is. */
export function Shell({
  place,
  children,
}: {
  readonly place: Place;
  readonly children: ReactNode;
}): ReactNode {
  const t = useTexts();
  const away = useSource(isAway);
  const [isOpen, open] = useState(false);
  const menu = useMemo(() => ({ isOpen, open }), [isOpen]);
  useEffect(() => open(false), [place.screen, 'conversation' in place ? place.conversation : undefined]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = (event: KeyboardEvent): void => void (event.key === 'Escape' && open(false));
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [isOpen]);
  return (
    <SideMenuContext value={menu}>
      <div className="app" data-away={away} data-menu={isOpen ? 'open' : 'closed'}>
        <a className="button to-main" href="#main">
          {t.nav.skip}
        </a>
        <aside className="side" aria-label="Vitrine" id="side">
          <Link to={addressOf.chat()} className="brand">
            <Logo />
            <span className="side-name">Vitrine</span>
          </Link>
          <Navigation place={place} />
          <ConversationList current={place.screen === 'chat' ? place.conversation : undefined} />
          <Person />
        </aside>
        <button type="button" className="veil" aria-label={t.data.close} onClick={() => open(false)} />
        {children}
        <News />
        <Announcements />
      </div>
    </SideMenuContext>
  );
}

/** Opens the side on a narrow screen, where it is hidden. */
export function MenuButton(): ReactNode {
  const t = useTexts();
  const { isOpen, open } = useContext(SideMenuContext);
  return (
    <button
      type="button"
      className="button ghost square menu-button"
      aria-label={t.nav.menu}
      aria-expanded={isOpen}
      aria-controls="side"
      onClick={() => open(!isOpen)}
    >
      <MenuIcon className="icon" aria-hidden />
    </button>
  );
}

function Navigation({ place: { screen } }: { readonly place: Place }): ReactNode {
  const t = useTexts();
  const waiting = useWaiting();
  const links: readonly { to: string; name: string; icon: LucideIcon; isHere: boolean; count?: number }[] = [
    { to: addressOf.home, name: t.nav.home, icon: House, isHere: screen === 'home' },
    { to: addressOf.chat(), name: t.nav.chat, icon: MessageSquare, isHere: screen === 'chat' },
    {
      to: addressOf.runs(),
      name: t.nav.runs,
      icon: ListTree,
      isHere: ['runs', 'run', 'run-canvas'].includes(screen),
    },
    {
      to: addressOf.approvals(),
      name: t.nav.approvals,
      icon: Inbox,
      isHere: screen === 'approvals',
      count: waiting,
    },
    {
      to: addressOf.workflows,
      name: t.nav.workflows,
      icon: Workflow,
      isHere: screen === 'workflows' || screen === 'workflow',
    },
    {
      to: addressOf.apps,
      name: t.nav.apps,
      icon: LayoutGrid,
      isHere: screen === 'apps' || screen === 'app',
    },
  ];
  return (
    <nav className="nav" aria-label={t.nav.main}>
      {links.map(({ to, name, icon: Icon, isHere, count = 0 }) => (
        <Link key={to} to={to} aria-current={isHere ? 'page' : undefined} title={name}>
          <Icon className="icon" aria-hidden />
          <span className="side-name">{name}</span>
          {count > 0 && (
            <span className="count" title={t.inbox.summary(count, count)}>
              {count}
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}

/** How many questions wait for somebody. */
export function useWaiting(): number {
  const { runs } = useRuns();
  return useMemo(
    () =>
      runs.values().reduce((sum, { approvals, damaged }) => sum + (damaged === undefined ? approvals : 0), 0),
    [runs],
  );
}

function Logo(): ReactNode {
  return (
    <svg viewBox="0 0 20 20" aria-hidden>
      <rect
        x="2.2"
        y="2.2"
        width="15.6"
        height="15.6"
        rx="4"
        fill="none"
        stroke="var(--ink)"
        strokeWidth="1.6"
      />
      <path d="M6 13.6 13.6 6M10.4 14.4l4-4" stroke="var(--accent)" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  );
}
