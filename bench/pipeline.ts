// What applications cost beside what they do: stages, guards over streamed text, and passages out of many documents.
import { guardRows } from './pipeline/guards.ts';
import { passageRows } from './pipeline/passages.ts';
import { runRows } from './pipeline/runs.ts';

export async function pipelineBench(): Promise<void> {
  await runRows();
  guardRows();
  await passageRows();
}
