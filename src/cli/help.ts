import type { CliCommand } from './command.ts';

/** What the terminal can do, in a line each. */
export function overview(commands: readonly CliCommand[]): string {
  const width = Math.max(...commands.map(({ name, usage }) => `${name} ${short(usage)}`.length));
  const lines = commands.map(
    ({ name, usage, summary }) => `  ${`${name} ${short(usage)}`.padEnd(width)}  ${summary}`,
  );
  return [
    'Vitrine runs teams of agents behind glass: watch every step, stop, approve, and lose nothing.',
    '',
    'vitrine <command>',
    '',
    ...lines,
    '',
    'vitrine <command> --help says more. Runs and approvals may be named by the beginning of their id.',
    'Exit codes: 0 completed, 1 failed, 2 bad input, 3 waiting for a person, 130 stopped or left.',
    'VITRINE_DEBUG=1 shows what is behind a failure.',
  ].join('\n');
}

/** The help of one command. */
export function helpOf({ name, usage, summary, details = [], options }: CliCommand): string {
  const shown = Object.entries(options).map(([option, { value, about }]) => {
    const left = value === undefined ? `--${option}` : `--${option} ${value}`;
    return { left, about };
  });
  const width = Math.max(0, ...shown.map(({ left }) => left.length));
  return [
    `vitrine ${name} ${usage}`.trim(),
    '',
    `${summary[0]?.toUpperCase() ?? ''}${summary.slice(1)}.`,
    ...(details.length > 0 ? ['', ...details] : []),
    ...(shown.length > 0 ? ['', ...shown.map(({ left, about }) => `  ${left.padEnd(width)}  ${about}`)] : []),
  ].join('\n');
}

function short(usage: string): string {
  return usage.replace(/ ?\[options\]/, '');
}
