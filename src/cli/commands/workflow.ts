import { RunError, type Failure, failureOf } from '../../run/failure.ts';
import { Json } from '../../run/values.ts';
import { isGraphFile, nameIn, readGraphFile } from '../../server/workflows/workflow-files.ts';
import {
  anywhereOptions,
  askedIn,
  exit,
  jsonOption,
  showingOptions,
  type CliCommand,
  type Given,
} from '../command.ts';
import { hint } from '../hint.ts';
import { inHome, throughRun } from '../place/in-home.ts';
import { serverOf, type Place } from '../place/place.ts';
import { workflowsClient } from '../../client/workflows.ts';
import type { Reached } from '../place/terminal-home.ts';
import { settingsOf } from '../settings.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { newId } from '../../loop/machine.ts';

export const workflow: CliCommand = {
  name: 'workflow',
  usage: 'check|publish|run|try|go-on <file, name or run> [node] [text] [options]',
  summary: 'check a graph, publish it, run it or one of its nodes, or go on with a run that failed',
  details: [
    'A file (.yaml, .yml or .json) is saved as the draft of the workflow it names: «publish» makes a version of it, «run»',
    'runs it as it is. A name means a workflow that is there: its draft is checked and published, its newest version run.',
    '«try <name> <node>» runs one node alone, with what the last run gave it; «go-on <run>» goes on where a run failed.',
  ],
  options: {
    input: { type: 'string', value: '<json>', about: 'what the graph has as «input»; or say it as text' },
    draft: { type: 'boolean', about: 'run the draft' },
    version: { type: 'string', value: '<number>', about: 'run this version' },
    dry: { type: 'boolean', about: 'only see where it leads: no model is asked, nothing is changed' },
    yes: { type: 'boolean', about: 'approve whatever is asked' },
    ...showingOptions,
    ...jsonOption,
    ...anywhereOptions,
  },
  words: [2, Infinity],
  async run(given, terminal) {
    const [action = '', named = ''] = given.words;
    const work = actions[action];
    if (!work)
      throw new RunError(
        'malformed',
        `Say «workflow check», «publish», «run», «try» or «go-on», not «${action}».`,
      );
    const meant = meantBy(named);
    askedIn(given);
    const place = serverOf(given) ?? (await settingsOf(given, terminal)).home;
    try {
      return await work(place, { given, terminal }, meant);
    } catch (thrown) {
      const { problems = [], message } = failureOf(thrown);
      // Of another workflow of the configuration its sentence says which one.
      if (problems.length === 0 || !message.includes(`«${meant.name}»`)) throw thrown;
      tellProblems(given, terminal, problems);
      return exit.badInput;
    }
  },
};

/** A workflow by its name, or a graph in a file, which has one. */
interface Meant {
  readonly name: string;
  readonly graph?: Readonly<Record<string, Json>>;
}

function meantBy(named: string): Meant {
  if (!isGraphFile(named)) return { name: named };
  const graph = readGraphFile(named);
  const name = nameIn(graph, named);
  return { name, graph: { ...graph, name } };
}

interface Where {
  readonly given: Given;
  readonly terminal: Terminal;
}

const actions: Readonly<Record<string, (place: Place, where: Where, meant: Meant) => Promise<number>>> = {
  check: (place, { given, terminal }, { name, graph }) =>
    inHome(place, { terminal }, async ({ server }) => {
      const problems = await workflowsClient(server).validate(name, graph && { ...graph });
      tellProblems(given, terminal, problems);
      if (problems.length > 0) return exit.badInput;
      if (!given.flag('json')) terminal.say(visibleLine(`«${name}» has no problems.`));
      return exit.completed;
    }),
  publish: (place, { given, terminal }, meant) =>
    inHome(place, { terminal }, async (home) => {
      await saved(home, meant);
      const { name } = meant;
      const published = await workflowsClient(home.server).publish(name);
      if (given.flag('json')) terminal.say(jsonLine(published));
      else {
        terminal.say(visibleLine(`«${name}» is published as version ${published.version}.`));
        for (const { version, runs } of published.open)
          terminal.say(`  ${runs} open on ${version === null ? 'a draft' : `version ${version}`}`);
        terminal.say(`Run it: ${hint(given, 'workflow', 'run', name)}`);
      }
      return exit.completed;
    }),
  run(place, where, meant) {
    const { name } = meant;
    const { given } = where;
    const isDraft = meant.graph !== undefined || given.flag('draft');
    const request = {
      input: inputIn(given),
      mode: isDraft ? ('draft' as const) : ('published' as const),
      version: versionIn(given),
      dry: given.flag('dry'),
      idempotencyKey: newId('start'),
    };
    return throughRun(place, where, async (home) => {
      await saved(home, meant);
      return workflowsClient(home.server).start(name, request);
    });
  },
  try(place, where, meant) {
    const [, , node] = where.given.words;
    if (node === undefined)
      throw new RunError('malformed', 'Say which node: «workflow try <file or name> <node>».');
    const request = { input: inputIn(where.given, 3), version: versionIn(where.given) };
    return throughRun(place, where, async (home) => {
      await saved(home, meant);
      return workflowsClient(home.server).tryNode(meant.name, node, request);
    });
  },
  'go-on': (place, where, { name: run }) =>
    throughRun(place, where, ({ server }) => workflowsClient(server).goOn(run)),
};

async function saved({ server }: Reached, { name, graph }: Meant): Promise<void> {
  if (graph) await workflowsClient(server).save(name, { ...graph });
}

function tellProblems(given: Given, { say }: Terminal, problems: NonNullable<Failure['problems']>): void {
  for (const problem of problems) {
    const { node, field, problem: what, fix } = problem;
    const where = [node, field].filter((part) => part !== '').join('.');
    say(given.flag('json') ? jsonLine(problem) : visibleLine(`${where || 'the graph'}: ${what} ${fix}`));
  }
}

function inputIn(given: Given, from = 2): Json | undefined {
  const text = given.words.slice(from).join(' ');
  const json = given.text('input');
  if (json === undefined) return text === '' ? undefined : inWords(text);
  if (text !== '')
    throw new RunError('malformed', 'Give what to run it with as text or as --input, not both.');
  try {
    return Json.parse(JSON.parse(json));
  } catch (cause) {
    throw new RunError('malformed', `--input is no JSON: write it as '{"text": "…"}'.`, { cause });
  }
}

/** Nobody says a whole object in words: as text, what it names would be passed over. */
function inWords(text: string): string {
  if (!isObject(text)) return text;
  throw new RunError(
    'malformed',
    `That is JSON: give it as --input '<json>', or, where it is the text itself, as --input '{"text": "…"}'.`,
  );
}

function isObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function versionIn(given: Given): number | undefined {
  const text = given.text('version');
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RunError('malformed', `--version is «${text}»: give a whole number from 1 on.`);
}
