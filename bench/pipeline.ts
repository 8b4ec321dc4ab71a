// What applications cost beside what they do: guards over streamed text, and passages out of many documents.
import { guardRows } from './pipeline/guards.ts';
import { passageRows } from './pipeline/passages.ts';

export async function pipelineBench(): Promise<void> {
  guardRows();
  await passageRows();
}
