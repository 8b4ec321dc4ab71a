import type { RunStatus, StepStatus } from '../../run/tree.ts';
import type { Span, Style } from '../terminal/line.ts';

type Shown = StepStatus | RunStatus;

const marks: Readonly<Record<Shown, readonly [mark: string, ...styles: Style[]]>> = {
  pending: ['○', 'dim'],
  running: ['●', 'cyan'],
  waiting: ['◆', 'yellow'],
  paused: ['‖', 'yellow'],
  completed: ['✓', 'green'],
  failed: ['✗', 'red'],
  skipped: ['⊘', 'dim'],
  stopped: ['■', 'red'],
  reused: ['↺', 'blue'],
  abandoned: ['◌', 'dim'],
};

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** The mark of a status; what runs turns while somebody watches. */
export function markOf(status: Shown, frame?: number): Span {
  const [mark, ...styles] = marks[status];
  if (status !== 'running' || frame === undefined) return [mark, ...styles];
  return [spinner[frame % spinner.length] ?? mark, ...styles];
}

/** What is said beside the mark; nothing where the mark says it all. */
export function wordOf(status: Shown): string {
  if (status === 'running' || status === 'completed' || status === 'pending') return '';
  return status === 'waiting' ? 'waits for you' : status;
}

export function styleOf(status: Shown): Style[] {
  const [, ...styles] = marks[status];
  return styles;
}

/** `0.4s`, `12s`, `3m 05s`, `2h 10m`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  if (seconds < 59.5) return `${Math.round(seconds)}s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return `${minutes}m ${String(Math.round(seconds) % 60).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`;
}
