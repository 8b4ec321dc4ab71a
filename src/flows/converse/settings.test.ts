import { describe, expect, test } from 'vitest';
import { completeRules, expectAllowed, rulesFor, switchesIn, type ConverseSettings } from './course.ts';

const tools = ['list_files', 'read_file'].map((name) => ({ name, description: name, schema: {} }));
const base: ConverseSettings = { agent: 'model', system: 'Be exact.', tools };

describe('settings', () => {
  test('[C11] the defaults are two-stage, strict, non-duplicate and three cycles', () => {
    expect(completeRules()).toEqual({
      protocol: 'two-stage',
      preset: 'strict',
      maxToolsPerPhase: 1,
      actionTools: 'non-duplicate',
      maxCycles: 3,
      pauseAfterTool: false,
    });
    expect(completeRules({ preset: 'parallel' }).maxToolsPerPhase).toBe(8);
    expect(completeRules({ protocol: 'unified' }).maxToolsPerPhase).toBe(8);
  });

  test('[C11] the request beats the app', () => {
    const app: ConverseSettings = {
      ...base,
      rules: { protocol: 'unified', maxToolsPerPhase: 5, maxCycles: 7 },
    };
    expect(rulesFor(app, {}).rules).toMatchObject({ ...app.rules });
    const labels = { 'converse.protocol': 'two-stage', 'converse.maxCycles': '1', project: 'P1' };
    expect(rulesFor(app, labels).rules).toMatchObject({
      protocol: 'two-stage',
      maxToolsPerPhase: 5,
      maxCycles: 1,
    });
  });

  test.for(['false', '0'])(
    '[C75] switched off (%s), every conversation is unified, and says so if asked otherwise',
    (off) => {
      const switches = switchesIn({ TWO_STAGE_ENABLED: off });
      expect(rulesFor({ ...base, switches }, {})).toMatchObject({
        rules: { protocol: 'unified' },
        overruled: [],
      });
      const overruled = [
        'Two-stage is switched off here (TWO_STAGE_ENABLED), so this conversation is unified.',
      ];
      const labels = { 'converse.protocol': 'two-stage' };
      expect(rulesFor({ ...base, switches }, labels)).toMatchObject({
        rules: { protocol: 'unified' },
        overruled,
      });
      const app: ConverseSettings = { ...base, switches, rules: { protocol: 'two-stage' } };
      expect(rulesFor(app, {})).toMatchObject({ rules: { protocol: 'unified' }, overruled });
    },
  );

  test('[C75] switched on, apps are two-stage, and a request may go back', () => {
    const app: ConverseSettings = {
      ...base,
      rules: { protocol: 'unified' },
      switches: switchesIn({ TWO_STAGE_ENABLED: 'true' }),
    };
    expect(rulesFor(app, {}).rules.protocol).toBe('two-stage');
    expect(rulesFor(app, { 'converse.protocol': 'unified' })).toMatchObject({
      rules: { protocol: 'unified' },
      overruled: [],
    });
    expect(switchesIn({ TWO_STAGE_ENABLED: '', TWO_STAGE_MAX_TOOLS: ' ' })).toEqual({});
  });

  test('[C75] nobody gets more calls in one phase than the operator gives', () => {
    const switches = switchesIn({ TWO_STAGE_MAX_TOOLS: '2' });
    const of = (rules: ConverseSettings['rules'], labels = {}) =>
      rulesFor({ ...base, switches, ...(rules ? { rules } : {}) }, labels);
    expect(of(undefined)).toMatchObject({ rules: { maxToolsPerPhase: 2 }, overruled: [] });
    expect(of({ maxToolsPerPhase: 1 })).toMatchObject({ rules: { maxToolsPerPhase: 1 }, overruled: [] });
    expect(of(undefined, { 'converse.maxToolsPerPhase': '5' })).toMatchObject({
      rules: { maxToolsPerPhase: 2 },
      overruled: ['5 calls in one phase were asked for; at most 2 are run (TWO_STAGE_MAX_TOOLS).'],
    });
  });

  test('[C11] every label is understood', () => {
    const labels = {
      'converse.protocol': 'two-stage',
      'converse.preset': 'parallel',
      'converse.maxToolsPerPhase': '4',
      'converse.actionTools': 'read_file:2, list_files:1',
      'converse.maxCycles': '9',
      'converse.pauseAfterTool': 'true',
    };
    expect(rulesFor(base, labels).rules).toEqual({
      protocol: 'two-stage',
      preset: 'parallel',
      maxToolsPerPhase: 4,
      actionTools: { allow: { read_file: 2, list_files: 1 } },
      maxCycles: 9,
      pauseAfterTool: true,
    });
  });

  test.for<{ labels?: Record<string, string>; environment?: Record<string, string>; says: RegExp }>([
    {
      labels: { 'converse.protocol': 'three-stage' },
      says: /converse\.protocol is «three-stage».*two-stage or unified/,
    },
    { labels: { 'converse.preset': 'Strict' }, says: /converse\.preset .*strict or parallel/ },
    { labels: { 'converse.maxCycles': '0' }, says: /converse\.maxCycles .*from 1 to 100/ },
    { labels: { 'converse.maxCycles': '1e1' }, says: /converse\.maxCycles is «1e1»/ },
    { labels: { 'converse.maxToolsPerPhase': '65' }, says: /converse\.maxToolsPerPhase .*from 1 to 64/ },
    { labels: { 'converse.pauseAfterTool': 'yes' }, says: /converse\.pauseAfterTool .*true or false/ },
    { labels: { 'converse.actionTools': 'read_file' }, says: /converse\.actionTools .*read_file:2/ },
    { labels: { 'converse.actionTools': 'write_file:1' }, says: /write_file.*list_files, read_file/ },
    { labels: { 'converse.maxCycle': '3' }, says: /no setting «converse\.maxCycle».*converse\.maxCycles/ },
    { labels: { 'converse.constructor': '3' }, says: /no setting/ },
    { environment: { TWO_STAGE_ENABLED: 'perhaps' }, says: /TWO_STAGE_ENABLED is «perhaps».*true or false/ },
    { environment: { TWO_STAGE_MAX_TOOLS: '-1' }, says: /TWO_STAGE_MAX_TOOLS .*from 1 to 64/ },
  ])('[C11] a wrong value names itself and the fix: $says', ({ labels = {}, environment = {}, says }) => {
    const wrong = (): void => {
      const { actionTools } = rulesFor({ ...base, switches: switchesIn(environment) }, labels).rules;
      expectAllowed(
        actionTools,
        tools.map(({ name }) => name),
      );
    };
    expect(wrong).toThrow(says);
  });
});
