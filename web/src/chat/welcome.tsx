import type { ReactNode } from 'react';
import type { AppList } from '../../../src/client/client.ts';
import { visible } from '../../../src/run/visible.ts';
import { useTexts } from '../texts/texts.ts';

/** What one can talk to here, and questions to begin with. */
export function Welcome({
  apps,
  app,
  ask,
}: {
  readonly apps: AppList | undefined;
  readonly app: string | undefined;
  readonly ask: (text: string) => void;
}): ReactNode {
  const t = useTexts();
  const chosen = apps?.apps.find(({ name }) => name === app);
  const { description = '', examples = [], welcome, title } = chosen ?? {};
  return (
    <section className="welcome">
      <h2>{welcome === undefined ? t.welcome.title : visible(title ?? chosen?.name ?? '')}</h2>
      <p className="welcome-words">{welcome === undefined ? t.welcome.text : visible(welcome)}</p>
      {chosen && (
        <p className="quiet">
          <span className="mono">{visible(chosen.name)}</span>
          {description === '' ? '' : ` · ${visible(description)}`}
        </p>
      )}
      {examples.length > 0 && <h3 className="label">{t.welcome.examples}</h3>}
      <ul className="examples">
        {examples.map((example) => (
          <li key={example}>
            <button type="button" onClick={() => ask(example)}>
              {visible(example)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
