import type { ListedWorkflow } from '../../wire/native/workflows.ts';
import { anywhereOptions, exit, jsonOption, type CliCommand } from '../command.ts';
import { inHome } from '../place/in-home.ts';
import { serverOf } from '../place/place.ts';
import { workflowsClient } from '../../client/workflows.ts';
import type { Reached } from '../place/terminal-home.ts';
import { settingsOf } from '../settings.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';

export const workflows: CliCommand = {
  name: 'workflows',
  usage: '[options]',
  summary: 'list the workflows that can be run: those of the configuration, and your own',
  options: { ...jsonOption, ...anywhereOptions },
  words: [0, 0],
  async run(given, terminal) {
    const place = serverOf(given) ?? (await settingsOf(given, terminal)).home;
    const found = await inHome(place, { terminal }, all);
    for (const each of found)
      terminal.say(given.flag('json') ? jsonLine(each) : linesOf(each).map(visibleLine).join('\n  '));
    if (found.length === 0 && !given.flag('json'))
      terminal.warn('There are no workflows: put one into «workflows/<name>.yaml» beside the configuration.');
    return exit.completed;
  },
};

async function all({ server }: Reached): Promise<readonly ListedWorkflow[]> {
  const client = workflowsClient(server);
  const found: ListedWorkflow[] = [];
  for (let after: string | undefined; ;) {
    const page = await client.list({ limit: 200, after });
    found.push(...page.workflows);
    if (page.next === null) return found;
    after = page.next;
  }
}

function linesOf({
  name,
  title,
  readOnly,
  draft,
  published,
  schedules,
  problems = [],
}: ListedWorkflow): readonly string[] {
  const said = [
    published ? `version ${published.version}` : 'not published',
    ...(draft ? [`draft ${draft.revision} by ${draft.by}`] : []),
    ...(readOnly ? ['of the configuration'] : []),
    ...(schedules ? [`${schedules} ${schedules === 1 ? 'schedule' : 'schedules'}`] : []),
  ];
  const line = `${name.padEnd(24)} ${said.join(', ')}${title === undefined ? '' : `: ${title}`}`;
  return [line, ...problems.map(({ node, problem }) => `cannot be done now: ${node}: ${problem}`)];
}
