import './api.css';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { RunError, type Failure } from '../../../src/client/client.ts';
import { server } from '../server.ts';
import { MenuButton } from '../shell/shell.tsx';
import { Bones, Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { useTexts } from '../texts/texts.ts';
import { commandFor, groupsIn, shapeOf, type Content, type Description, type Listed } from './description.ts';

/** Every place of the server's API, as the server itself describes it. */
export function Api(): ReactNode {
  const t = useTexts();
  const { described, failure } = useDescription();
  const [text, setText] = useState('');
  useTitle(t.api.title);
  return (
    <main className="screen api" id="main" data-api={described ? 'ready' : 'loading'}>
      <div className="bar">
        <MenuButton />
        <h1>{t.api.title}</h1>
        <span className="quiet num">{described?.info.version}</span>
        <span className="grow" />
        <a className="button small" href={`${server.url}/openapi.json`} download="openapi.json">
          {t.api.download}
        </a>
      </div>
      <div className="api-content">
        {failure && <Failed failure={failure} />}
        {!described && !failure && <Bones />}
        {described && (
          <>
            <p className="quiet">{t.api.about}</p>
            <input
              type="search"
              className="field"
              value={text}
              placeholder={t.api.find}
              aria-label={t.api.find}
              data-find-api
              onChange={(event) => setText(event.target.value)}
            />
            <Groups described={described} text={text} />
          </>
        )}
      </div>
    </main>
  );
}

function useDescription(): { readonly described?: Description; readonly failure?: Failure } {
  const [now, setNow] = useState<{ readonly described?: Description; readonly failure?: Failure }>({});
  useEffect(() => {
    const load = async (): Promise<void> => {
      const response = await (server.fetch ?? fetch)('/openapi.json');
      if (!response.ok) throw new RunError('unavailable', `The server answered ${response.status}.`);
      setNow({ described: (await response.json()) as Description });
    };
    load().catch((thrown: unknown) =>
      setNow({
        failure:
          thrown instanceof RunError ? thrown.failure : { code: 'unavailable', message: String(thrown) },
      }),
    );
  }, []);
  return now;
}

function Groups({ described, text }: { readonly described: Description; readonly text: string }): ReactNode {
  const t = useTexts();
  const groups = useMemo(() => groupsIn(described), [described]);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isSought = ({ method, path, summary }: Listed): boolean =>
    words.every((word) => `${method} ${path} ${summary}`.toLowerCase().includes(word));
  return (
    <>
      {groups.map(([about, all]) => {
        const listed = all.filter(isSought);
        return listed.length === 0 ? undefined : (
          <section key={about} className="api-group">
            <h2>{about}</h2>
            {listed.map((one) => (
              <Place key={`${one.method} ${one.path}`} listed={one} />
            ))}
          </section>
        );
      })}
      <section className="api-group">
        <h2>{t.api.shapes}</h2>
        {Object.entries(described.components.schemas)
          .filter(([name]) => words.every((word) => name.toLowerCase().includes(word)))
          .map(([name, schema]) => (
            <details key={name} className="api-place" data-shape={name}>
              <summary className="mono">{name}</summary>
              <Shape name={name} text={shapeOf(schema)} />
            </details>
          ))}
      </section>
    </>
  );
}

function Place({ listed }: { readonly listed: Listed }): ReactNode {
  const t = useTexts();
  const { method, path, summary, parameters = [], requestBody, responses } = listed;
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="api-place"
      data-operation={listed.operationId}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span className={`api-method ${method.toLowerCase()}`}>{method}</span>
        <span className="mono api-path">{path}</span>
        <span className="quiet">{summary}</span>
      </summary>
      {isOpen && (
        <div className="api-body">
          <Shape name={t.api.command} text={commandFor(listed, server.url)} />
          {parameters.length > 0 && (
            <dl className="facts">
              {parameters.map(({ name, in: place, schema, description }) => (
                <div className="contents" key={`${place} ${name}`}>
                  <dt className="mono">{name}</dt>
                  <dd>
                    {t.api.places[place as 'path'] ?? place}, <span className="mono">{shapeOf(schema)}</span>
                    {description === undefined ? '' : `: ${description}`}
                  </dd>
                </div>
              ))}
            </dl>
          )}
          {requestBody && <Sent title={t.api.body} content={requestBody.content} />}
          {Object.entries(responses).map(([status, { description = '', content = {} }]) => (
            <Sent key={status} title={`${status} ${description}`} content={content} />
          ))}
        </div>
      )}
    </details>
  );
}

function Sent({ title, content }: { readonly title: string; readonly content: Content }): ReactNode {
  return (
    <section className="part">
      <h3 className="label">{title}</h3>
      {Object.entries(content).map(([type, { schema }]) => (
        <Shape
          key={type}
          name={`${title} ${type}`}
          text={type === 'application/json' && schema ? shapeOf(schema) : type}
        />
      ))}
    </section>
  );
}

function Shape({ name, text }: { readonly name: string; readonly text: string }): ReactNode {
  return (
    <pre className="mono" tabIndex={0} aria-label={name}>
      {text}
    </pre>
  );
}
