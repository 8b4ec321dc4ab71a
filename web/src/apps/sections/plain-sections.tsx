import type { ReactNode } from 'react';
import { visible } from '../../../../src/run/visible.ts';
import { useAppTexts } from '../../texts/app-texts.ts';
import { useDesk } from '../app-desk.ts';
import { CheckField, ChoiceField, FieldPlace, ListField, Segments, TextField } from '../fields.tsx';
import { withDescription, withPart } from '../model/app-edits.ts';

export function Basics(): ReactNode {
  const a = useAppTexts();
  const { app, name, edit } = useDesk();
  return (
    <>
      <TextField
        field="settings.chat.name"
        label={a.fields.title}
        value={app.settings.chat.name ?? name}
        change={(title) => edit(withPart('chat', { name: title }), 'title')}
      />
      <TextField
        field="description"
        label={a.fields.description}
        hint={a.fields.descriptionHint}
        rows={2}
        value={app.description}
        change={(said) => edit(withDescription(said), 'description')}
      />
      <p className="quiet app-name">
        {a.fields.name}: <span className="mono">{visible(name)}</span>. {a.fields.nameHint}
      </p>
    </>
  );
}

export function Persona(): ReactNode {
  const a = useAppTexts();
  const { app, parts, edit } = useDesk();
  const { persona } = app.settings;
  const preset = parts.personas.find(({ name }) => name === persona.preset);
  return (
    <>
      <ChoiceField
        field="settings.persona"
        label={a.fields.preset}
        hint={visible(preset?.description ?? '')}
        value={persona.preset}
        choices={parts.personas}
        change={(chosen) => edit(withPart('persona', { preset: chosen }))}
      />
      <TextField
        field="settings.persona.text"
        label={a.fields.personaText}
        hint={a.fields.personaHint}
        rows={5}
        value={persona.text}
        change={(text) => edit(withPart('persona', { text }), 'persona')}
      />
      {(['designations', 'businessUnits', 'tags'] as const).map((list) => (
        <ListField
          key={list}
          field={`settings.persona.${list}`}
          label={a.fields[list]}
          values={persona[list]}
          entry={(number) => a.fields.entry(a.fields[list], number)}
          change={(values) => edit(withPart('persona', { [list]: values }), list)}
        />
      ))}
    </>
  );
}

const roles = ['planner', 'enhancer', 'general'] as const;

export function Models(): ReactNode {
  const a = useAppTexts();
  const { app, parts, edit } = useDesk();
  return roles.map((role) => (
    <ChoiceField
      key={role}
      field={`settings.models.${role}`}
      label={a.fields[role]}
      hint={a.fields[`${role}Hint`]}
      value={app.settings.models[role]}
      choices={parts.models}
      change={(agent) => edit(withPart('models', { [role]: agent }))}
    />
  ));
}

export function Documents(): ReactNode {
  const a = useAppTexts();
  const { app, parts, edit, isReadOnly } = useDesk();
  const { tools, passages, uploads } = app.settings.retrieval;
  return (
    <>
      <FieldPlace field="settings.retrieval.tools" label={a.fields.sources} isGroup>
        {() => (
          <div className="app-checks">
            {parts.sources.length === 0 && <span className="quiet">{a.fields.noSources}</span>}
            {parts.sources.map(({ name, description }) => (
              <label key={name} className="check">
                <input
                  type="checkbox"
                  checked={tools.includes(name)}
                  disabled={isReadOnly}
                  onChange={({ target: { checked } }) => {
                    const others = tools.filter((tool) => tool !== name);
                    edit(withPart('retrieval', { tools: checked ? [...others, name] : others }));
                  }}
                />
                <span>
                  <span className="mono">{visible(name)}</span>{' '}
                  <span className="quiet">{visible(description)}</span>
                </span>
              </label>
            ))}
          </div>
        )}
      </FieldPlace>
      <FieldPlace field="settings.retrieval.passages" label={a.fields.passages}>
        {({ id, describedBy }) => (
          <input
            id={id}
            className="field app-number"
            type="number"
            min={1}
            max={50}
            value={passages}
            readOnly={isReadOnly}
            aria-describedby={describedBy}
            onChange={({ target: { value } }) =>
              edit(
                withPart('retrieval', { passages: Math.min(50, Math.max(1, Number(value) || 1)) }),
                'passages',
              )
            }
          />
        )}
      </FieldPlace>
      <CheckField
        field="settings.retrieval.uploads"
        label={a.fields.uploads}
        hint={a.fields.uploadsHint}
        checked={uploads}
        change={(checked) => edit(withPart('retrieval', { uploads: checked }))}
      />
    </>
  );
}

const greetings = ['welcome', 'sorry', 'disclaimer'] as const;

export function Welcome(): ReactNode {
  const a = useAppTexts();
  const { app, edit } = useDesk();
  const { chat } = app.settings;
  return (
    <>
      {greetings.map((greeting) => (
        <TextField
          key={greeting}
          field={`settings.chat.${greeting}`}
          label={a.fields[greeting]}
          hint={a.fields[`${greeting}Hint`]}
          rows={2}
          value={chat[greeting]}
          change={(text) => edit(withPart('chat', { [greeting]: text }), greeting)}
        />
      ))}
      <ListField
        field="settings.chat.starters"
        label={a.fields.starters}
        values={chat.starters}
        entry={a.fields.starter}
        change={(starters) => edit(withPart('chat', { starters }), 'starters')}
      />
    </>
  );
}

export function Access(): ReactNode {
  const a = useAppTexts();
  const { app, edit, isReadOnly } = useDesk();
  const { everyone, people } = app.settings.access;
  return (
    <>
      <div className="app-field">
        <Segments
          label={a.sections.access}
          value={everyone ? 'everyone' : 'named'}
          choices={[
            ['everyone', a.fields.everyone],
            ['named', a.fields.onlyNamed],
          ]}
          isReadOnly={isReadOnly}
          change={(who) => edit(withPart('access', { everyone: who === 'everyone' }))}
        />
      </div>
      {!everyone && (
        <ListField
          field="settings.access.people"
          label={a.fields.people}
          hint={a.fields.peopleHint}
          values={people}
          entry={a.fields.person}
          change={(named) => edit(withPart('access', { people: named }), 'people')}
        />
      )}
    </>
  );
}
