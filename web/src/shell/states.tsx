import { CircleX } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { Failure } from '../../../src/client/client.ts';
import { visible } from '../../../src/run/visible.ts';
import { addressOf, Link } from '../routing.tsx';
import { useTexts } from '../texts/texts.ts';
import { MenuButton } from './shell.tsx';

/** Nothing for a moment, then the shape of what comes. */
export function Bones({ lines = [42, 64, 53] }: { readonly lines?: readonly number[] }): ReactNode {
  const t = useTexts();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const wait = setTimeout(() => setSlow(true), 300);
    return () => clearTimeout(wait);
  }, []);
  if (!isSlow) return <div className="p-6" aria-hidden />;
  return (
    <div className="bones p-6" role="status" aria-label={t.states.loading}>
      {lines.map((width, i) => (
        <i key={i} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

/** What failed, where it failed, and what to do. */
export function Failed({
  failure,
  retry,
  title,
}: {
  readonly failure?: Failure | undefined;
  readonly retry?: () => void;
  readonly title?: string;
}): ReactNode {
  const t = useTexts();
  return (
    <section className="state failure" role="alert">
      <h2 className="flex items-center gap-2">
        <CircleX className="icon" aria-hidden />
        {title ?? t.states.failedTitle}
      </h2>
      {failure && <p>{visible(failure.message)}</p>}
      {retry && (
        <button type="button" className="button small" onClick={retry}>
          {t.states.tryAgain}
        </button>
      )}
    </section>
  );
}

/** Teaches in two lines, and offers one thing to do. */
export function Empty({
  icon,
  title,
  text,
  children,
}: {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <section className="state">
      {icon}
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </section>
  );
}

/** A screen without anything on it but how one gets away, and what is said there. */
export function BareScreen({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
      </div>
      <div className="p-8">{children}</div>
    </main>
  );
}

export function Nowhere(): ReactNode {
  const t = useTexts();
  return (
    <BareScreen>
      <Empty title={t.states.notFound} text="">
        <Link to={addressOf.chat()} className="button small">
          {t.nav.chat}
        </Link>
      </Empty>
    </BareScreen>
  );
}
