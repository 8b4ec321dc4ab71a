// How many lines the four protocols have that were there before the story, and how many they had then.
import { execFileSync } from 'node:child_process';

/** The last commit in which each of them worked out for itself what implies what (decision 25). */
const before = 'ccfac59b5759d1461131cb4f03c0c637b3171e50';
const most = 0.6;
const protocols = {
  steps: 'src/projections/steps.ts',
  console: 'src/projections/console',
  execution: 'src/projections/execution',
  trace: 'src/projections/trace',
} as const;

export function protocolLinesBench(): void {
  console.log('lines of protocols, without tests: before the story, and now');
  const all = Object.entries(protocols).map(([name, path]) => {
    const lines = { name, before: linesIn(before, path), now: linesIn('HEAD', path) };
    tell(lines);
    return lines;
  });
  const sum = (of: 'before' | 'now'): number => all.reduce((total, lines) => total + lines[of], 0);
  tell({ name: 'together', before: sum('before'), now: sum('now') });
  console.log(`  at most ${most * 100} % of before is wanted: ${Math.floor(sum('before') * most)} lines`);
}

interface Lines {
  readonly name: string;
  readonly before: number;
  readonly now: number;
}

function tell({ name, before: was, now }: Lines): void {
  console.log(`  ${name.padEnd(10)} ${was} → ${now}  (${Math.round((100 * now) / was)} %)`);
}

function linesIn(commit: string, path: string): number {
  const files = git('ls-tree', '-r', '--name-only', commit, path).split('\n');
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return sources.reduce((sum, file) => sum + git('show', `${commit}:${file}`).split('\n').length - 1, 0);
}

function git(...given: readonly string[]): string {
  return execFileSync('git', given, { encoding: 'utf8' });
}
