import { X } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { visible } from '../../../../src/run/visible.ts';
import type { AppSkill } from '../../../../src/wire/native/app-body.ts';
import { useAppTexts } from '../../texts/app-texts.ts';
import { useDesk } from '../app-desk.ts';
import { CheckField, FieldPlace, TextField } from '../fields.tsx';
import { withoutSkill, withSkill, withSkillChanged } from '../model/app-edits.ts';

const types = ['agent', 'app', 'tool', 'workflow'] as const;

/** What it can have done. */
export function Skills(): ReactNode {
  const a = useAppTexts();
  const { app, isReadOnly } = useDesk();
  const { skills } = app.settings;
  return (
    <>
      {skills.length === 0 && <p className="quiet">{a.fields.noSkills}</p>}
      {skills.map((skill, i) => (
        <Skill key={`${skill.type} ${skill.name}`} skill={skill} index={i} />
      ))}
      {!isReadOnly && <AddSkill />}
    </>
  );
}

function Skill({ skill, index }: { readonly skill: AppSkill; readonly index: number }): ReactNode {
  const a = useAppTexts();
  const id = useId();
  const { edit, isReadOnly } = useDesk();
  const { name, type, title, description, passages } = skill;
  const field = `settings.skills.${index}`;
  return (
    <section className="card app-skill" aria-labelledby={id} data-skill={name}>
      <header>
        <h3 id={id} className="mono cut">
          {visible(name)}
        </h3>
        <span className="quiet">{a.fields.skillType[type]}</span>
        <span className="grow" />
        {!isReadOnly && (
          <button
            type="button"
            className="button ghost small square"
            aria-label={a.fields.remove(visible(name))}
            onClick={() => edit(withoutSkill(index))}
          >
            <X className="icon small" aria-hidden />
          </button>
        )}
      </header>
      <TextField
        field={`${field}.title`}
        label={a.fields.skillTitle}
        value={title}
        change={(words) => edit(withSkillChanged(index, { title: words }), `${field}.title`)}
      />
      <TextField
        field={`${field}.description`}
        label={a.fields.skillDescription}
        rows={2}
        value={description}
        change={(words) => edit(withSkillChanged(index, { description: words }), `${field}.description`)}
      />
      <CheckField
        field={`${field}.passages`}
        label={a.fields.skillPassages}
        checked={passages}
        change={(checked) => edit(withSkillChanged(index, { passages: checked }))}
      />
    </section>
  );
}

/** Those that are not skills of it yet. */
function AddSkill(): ReactNode {
  const a = useAppTexts();
  const { app, parts, name: own, edit } = useDesk();
  const taken = new Set(app.settings.skills.map(({ name }) => name.toLowerCase()));
  const free = parts.skills.filter(
    ({ name, type }) => !taken.has(name.toLowerCase()) && !(type === 'app' && name === own),
  );
  const add = (chosen: string): void => {
    const skill = free.find(({ type, name }) => `${type} ${name}` === chosen);
    if (skill) edit(withSkill(skill));
  };
  return (
    <FieldPlace field="settings.skills" label={a.fields.addSkill}>
      {({ id, describedBy }) => (
        <select
          id={id}
          className="field"
          value=""
          aria-describedby={describedBy}
          onChange={(event) => add(event.target.value)}
        >
          <option value="">{a.fields.addSkill}</option>
          {types.map((type) => (
            <optgroup key={type} label={a.fields.skillType[type]}>
              {free
                .filter((skill) => skill.type === type)
                .map(({ name }) => (
                  <option key={name} value={`${type} ${name}`}>
                    {visible(name)}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      )}
    </FieldPlace>
  );
}
