import { LRUCache } from 'lru-cache';
import { checksOf, type TextChecks } from '../../flows/pipeline/guard.ts';
import { pipeline, pipelineVersion } from '../../flows/pipeline/pipeline.ts';
import { missingIn, PipelineSettings } from '../../flows/pipeline/settings.ts';
import type { SkillMeans } from '../../flows/pipeline/skills.ts';
import type { AppGuards } from '../../guards/guard-settings.ts';
import { breather } from '../../loop/machine.ts';
import { RunError } from '../../run/failure.ts';
import type { FlowMeans, NamedFlow, Used } from './named-flow.ts';
import { unknownAgent } from './names-in-settings.ts';
import type { Wrong } from '../../run/values.ts';
import { expectNone, expectTool, readSettings } from './read-settings.ts';
import { present } from '../../run/tree.ts';

/** The flow of all applications: what one is stands in what its runs were started with. */
export const pipelineFlow: NamedFlow = {
  version: pipelineVersion,
  read(app, given, means) {
    const settings = readSettings(PipelineSettings, app, given);
    expectNone(app, wrongNames(settings, means));
    const { tools } = means;
    if (!tools) return settings;
    for (const [i, tool] of settings.retrieval.tools.entries())
      expectTool(tools, { tool, app, path: ['retrieval', 'tools', i] });
    for (const [i, { name: tool, type }] of settings.skills.entries())
      if (type === 'tool') expectTool(tools, { tool, app, path: ['skills', i, 'name'] });
    return settings;
  },
  missing: (settings) => missingIn(PipelineSettings.parse(settings)),
  access: (settings) => PipelineSettings.parse(settings).access,
  greeting(settings) {
    const { chat, retrieval } = PipelineSettings.parse(settings);
    const { name: title, welcome, disclaimer } = chat;
    return { title, welcome, disclaimer, uploads: retrieval.uploads };
  },
  uses: (settings) =>
    PipelineSettings.parse(settings).skills.flatMap(({ type, name }): Used[] =>
      type === 'app' || type === 'workflow' ? [{ kind: type, name }] : [],
    ),
  by(given, means) {
    const settings = PipelineSettings.parse(given);
    const { uploads } = means;
    const search = uploads && ((run: string, query: string) => uploads.search(run, query));
    return pipeline(settings, { checks: checksBy(means.guards), ...present({ search }), ...skillsIn(means) });
  },
};

/** Patterns are read once for all runs of an app. */
const known = new LRUCache<string, TextChecks>({ max: 100 });

function checksBy(
  { input, output }: Pick<AppGuards, 'input' | 'output'> = { input: [], output: [] },
): TextChecks {
  const name = JSON.stringify([input, output]);
  const checks = known.get(name) ?? checksOf({ input, output }, breather);
  known.set(name, checks);
  return checks;
}

function skillsIn({ tools, apps, workflow }: FlowMeans): SkillMeans {
  return {
    async workflow(scope, name, asked) {
      if (!workflow) throw new RunError('unknown', `There is no workflow «${name}» here.`);
      return workflow(scope, name, asked);
    },
    tool: (name) => tools?.all.find((tool) => tool.name === name),
    async app(scope, name, { text, attachments }) {
      if (!apps) throw new RunError('unknown', `There is no app «${name}» here.`);
      // What it is now is recorded: a later edit does not reach this run.
      const { flow, settings, guards, approvals } = await scope.step(
        { key: 'definition', kind: 'definition', title: `App ${name}` },
        () => apps.read(scope.caller, name),
      );
      if (approvals) scope.decidedBy(approvals);
      return apps.by(flow, settings, guards).run(scope, { text, attachments, app: name, labels: {} });
    },
  };
}

/** The names that nobody has, or that stand for two. */
function wrongNames({ models, skills }: PipelineSettings, { agents }: FlowMeans): Wrong[] {
  const named = Object.entries(models).flatMap(([role, name]) =>
    name === undefined ? [] : unknownAgent(['models', role], name, agents),
  );
  const each = skills.flatMap(({ name, type }, i): Wrong[] => {
    const path = ['skills', i, 'name'];
    const isTwice = skills.slice(0, i).some((other) => other.name.toLowerCase() === name.toLowerCase());
    if (isTwice) return [{ path, message: `«${name}» stands here twice; give each skill once` }];
    return type === 'agent' ? unknownAgent(path, name, agents) : [];
  });
  return [...named, ...each];
}
