import { describe, expect, test } from 'vitest';
import { completeRules, converseSettings, type ConverseSettings } from './converse-settings.ts';

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

  test('[C11] the request beats the environment, which beats the app', () => {
    const app: ConverseSettings = {
      ...base,
      rules: { protocol: 'unified', maxToolsPerPhase: 5, maxCycles: 7 },
    };
    const environment = { TWO_STAGE_ENABLED: 'true', TWO_STAGE_MAX_TOOLS: '2' };
    expect(converseSettings(app, {}, {}).rules).toEqual(app.rules);
    expect(converseSettings(app, environment, {}).rules).toEqual({
      protocol: 'two-stage',
      maxToolsPerPhase: 2,
      maxCycles: 7,
    });
    const labels = { 'converse.protocol': 'unified', 'converse.maxCycles': '1', project: 'P1' };
    expect(converseSettings(app, environment, labels).rules).toEqual({
      protocol: 'unified',
      maxToolsPerPhase: 2,
      maxCycles: 1,
    });
  });

  test('[C11] one switch in the environment goes back to unified', () => {
    for (const off of ['false', '0']) {
      const { rules } = converseSettings(base, { TWO_STAGE_ENABLED: off }, {});
      expect(rules?.protocol).toBe('unified');
    }
    expect(converseSettings(base, { TWO_STAGE_ENABLED: '' }, {}).rules).toEqual({});
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
    expect(converseSettings(base, {}, labels).rules).toEqual({
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
    expect(() => converseSettings(base, environment, labels)).toThrow(says);
  });
});
