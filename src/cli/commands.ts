import { RunError } from '../run/failure.ts';
import { exit, type CliCommand } from './command.ts';
import { completionFor, shells } from './completion.ts';

/** In the order of the help. Only the one that was typed is loaded: all of them are most of the product. */
const loaders: Readonly<Record<string, () => Promise<CliCommand>>> = {
  run: async () => (await import('./commands/run.ts')).run,
  demo: async () => (await import('./commands/demo.ts')).demo,
  serve: async () => (await import('./commands/serve.ts')).serve,
  work: async () => (await import('./commands/work.ts')).work,
  apps: async () => (await import('./commands/apps.ts')).apps,
  runs: async () => (await import('./commands/runs.ts')).runs,
  show: async () => (await import('./commands/show.ts')).show,
  follow: async () => (await import('./commands/follow.ts')).follow,
  resume: async () => (await import('./commands/resume.ts')).resume,
  stop: async () => (await import('./commands/stop.ts')).stop,
  pause: async () => (await import('./commands/pause.ts')).pause,
  message: async () => (await import('./commands/message.ts')).message,
  approvals: async () => (await import('./commands/approvals.ts')).approvals,
  approve: async () => (await import('./commands/approve.ts')).approve,
  reject: async () => (await import('./commands/reject.ts')).reject,
  edit: async () => (await import('./commands/edit.ts')).edit,
  export: async () => (await import('./commands/export.ts')).exportRun,
  trace: async () => (await import('./commands/trace.ts')).trace,
  erase: async () => (await import('./commands/erase.ts')).erase,
  verify: async () => (await import('./commands/verify.ts')).verify,
  backup: async () => (await import('./commands/backup.ts')).backup,
  reindex: async () => (await import('./commands/reindex.ts')).reindex,
  keys: async () => (await import('./commands/keys.ts')).keys,
  pins: async () => (await import('./commands/pins.ts')).pins,
  workflows: async () => (await import('./commands/workflows.ts')).workflows,
  workflow: async () => (await import('./commands/workflow.ts')).workflow,
  completion: () => Promise.resolve(completion),
};

export const commandNames: readonly string[] = Object.keys(loaders);

export async function commandNamed(name: string): Promise<CliCommand | undefined> {
  return Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined;
}

export function allCommands(): Promise<readonly CliCommand[]> {
  return Promise.all(Object.values(loaders).map((load) => load()));
}

const completion: CliCommand = {
  name: 'completion',
  usage: shells.join('|'),
  summary: 'print what makes a shell complete commands and options',
  options: {},
  words: [1, 1],
  async run({ words: [named = ''] }, terminal) {
    const shell = shells.find((known) => known === named);
    if (!shell)
      throw new RunError('malformed', `There is no completion for «${named}»: ${shells.join(', ')}.`);
    terminal.say(completionFor(shell, await allCommands()));
    return exit.completed;
  },
};
