import { agUiVersion, type AgUiEvent } from '../../wire/ag-ui.ts';

interface Place {
  readonly run: string;
  readonly thread: string;
  readonly app: string;
  readonly status: string;
}

/** What every run of AG-UI begins with. */
export function begun({ run, thread, app, status }: Place): AgUiEvent[] {
  return [
    { type: 'RUN_STARTED', threadId: thread, runId: run, protocolVersion: agUiVersion },
    { type: 'STATE_SNAPSHOT', snapshot: { run, app, status } },
  ];
}
