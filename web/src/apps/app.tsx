import './apps.css';
import { Circle, CircleCheck, CircleX } from 'lucide-react';
import { useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react';
import type { Problem } from '../../../src/run/failure-schema.ts';
import { visible } from '../../../src/run/visible.ts';
import { Conflict } from '../editing/conflict.tsx';
import { LeaveDialog } from '../editing/leave-dialog.tsx';
import { useEditKeys } from '../editing/use-edit-keys.ts';
import { addressOf, Link, navigate } from '../routing.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { Bones, Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { useAppTexts } from '../texts/app-texts.ts';
import { AppBar, type Standing } from './app-bar.tsx';
import { DeskProvider, useAppDesk, useDesk } from './app-desk.ts';
import { sectionIcons, sectionNamed, sectionOf, sections, type Section } from './model/sections.ts';
import { Guards } from './sections/guards.tsx';
import { Access, Basics, Documents, Models, Persona, Welcome } from './sections/plain-sections.tsx';
import { Skills } from './sections/skills.tsx';
import { useApp, type LoadedApp } from './use-app.ts';
import { Versions } from './versions.tsx';

/** One application: edited by its sections, published, and led to its chat. */
export function AppEditor({
  name,
  section,
}: {
  readonly name: string;
  readonly section?: string | undefined;
}): ReactNode {
  const a = useAppTexts();
  const { value: loaded, failure, again } = useApp(name);
  if (loaded) return <Opened loaded={loaded} section={sectionNamed(section)} />;
  const isMissing = failure?.code === 'unknown';
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
        <h1>{visible(name)}</h1>
      </div>
      {!failure && <Bones />}
      {failure && (
        <div className="p-6">
          <Failed failure={failure} {...(isMissing ? { title: a.notThere } : { retry: again })} />
        </div>
      )}
    </main>
  );
}

const forms: Readonly<Record<Exclude<Section, 'versions'>, ComponentType>> = {
  basics: Basics,
  persona: Persona,
  models: Models,
  guards: Guards,
  documents: Documents,
  skills: Skills,
  welcome: Welcome,
  access: Access,
};

function Opened({ loaded, section }: { readonly loaded: LoadedApp; readonly section: Section }): ReactNode {
  const a = useAppTexts();
  const [sought, setSought] = useState<string>();
  const [standing, setStanding] = useState<Standing>(loaded.draft);
  const desk = useAppDesk(loaded, sought);
  const { name, app, saving, keeper, isReadOnly } = desk;
  const title = app.settings.chat.name || name;
  useTitle(title);
  useEditKeys(isReadOnly ? undefined : desk.editing);
  // Whoever is led to the same field again is led there again.
  useEffect(() => void (sought !== undefined && setSought(undefined)), [sought]);
  const goTo = ({ field }: Problem): void => {
    navigate(addressOf.app(name, sectionOf(field)), { replace: true });
    setSought(field);
  };
  const Form = section === 'versions' ? undefined : forms[section];
  return (
    <DeskProvider value={desk}>
      <main className="screen app-editor" id="main" data-app={name} data-saving={saving.is}>
        <AppBar standing={standing} moved={setStanding} title={title} />
        {saving.is === 'conflict' && (
          <Conflict saving={saving} keeper={keeper} draftIn={({ app: theirs }) => theirs} />
        )}
        <LeaveDialog keeper={keeper} />
        <div className="app-columns">
          <div className="app-side">
            <Sections section={section} />
            <Lacks goTo={goTo} />
          </div>
          <section className="app-form" aria-labelledby="section-title" data-section={section}>
            <h2 id="section-title">{a.sections[section]}</h2>
            <p className="app-lead">{a.leads[section]}</p>
            {Form ? <Form /> : <Versions stamp={stampOf(standing, saving)} />}
          </section>
        </div>
      </main>
    </DeskProvider>
  );
}

/** Another whenever a draft was saved or a version published, archived or restored. */
function stampOf({ state, version }: Standing, { kept }: ReturnType<typeof useAppDesk>['saving']): string {
  return `${state} ${version} ${kept?.revision ?? 0}`;
}

function Sections({ section }: { readonly section: Section }): ReactNode {
  const a = useAppTexts();
  const { name, lacks, problems } = useDesk();
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen they stand in one line, of which only a part is in view.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [section]);
  const isIn = (all: readonly Problem[], one: Section): boolean =>
    all.some(({ field }) => sectionOf(field) === one);
  return (
    <nav className="app-sections" aria-label={a.sectionsLabel} ref={nav}>
      {sections.map((one) => {
        const Icon = sectionIcons[one];
        const state = isIn(problems, one) ? 'wrong' : isIn(lacks, one) ? 'incomplete' : 'complete';
        return (
          <Link
            key={one}
            to={addressOf.app(name, one)}
            aria-current={one === section ? 'page' : undefined}
            data-to-section={one}
            data-state={state}
          >
            <Icon className="icon" aria-hidden />
            {a.sections[one]}
            {one !== 'versions' && (
              <span className="app-section-state">
                <StateIcon state={state} />
                <span className="unseen">{a[state]}</span>
              </span>
            )}
          </Link>
        );
      })}
    </nav>
  );
}

function StateIcon({ state }: { readonly state: 'wrong' | 'incomplete' | 'complete' }): ReactNode {
  if (state === 'wrong') return <CircleX className="icon small failed" aria-hidden />;
  if (state === 'incomplete') return <Circle className="icon small pending" aria-hidden />;
  return <CircleCheck className="icon small completed" aria-hidden />;
}

/** What publish still lacks, each leading to its field. */
function Lacks({ goTo }: { readonly goTo: (lack: Problem) => void }): ReactNode {
  const a = useAppTexts();
  const { lacks, problems, isReadOnly } = useDesk();
  if (isReadOnly) return undefined;
  const all = [...problems, ...lacks];
  return (
    <section className="card app-lacks" aria-label={a.lacks.title} data-lacks={all.length}>
      <h2>{all.length === 0 ? a.lacks.none : a.lacks.title}</h2>
      <ul>
        {all.map((lack) => (
          <li key={lack.field}>
            <button type="button" className="linkish" onClick={() => goTo(lack)} data-lack={lack.field}>
              {problems.includes(lack) ? (
                <CircleX className="icon small failed" aria-hidden />
              ) : (
                <Circle className="icon small pending" aria-hidden />
              )}
              {a.lacks.of[lack.field] ?? visible(lack.problem)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
