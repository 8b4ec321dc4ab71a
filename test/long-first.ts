// What takes long begins first: mutants, then scenarios. Begun last, one of them would run alone at the end, while files of other projects
// are short enough to fill it.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const first = ['/test/mutants/share-', '/test/scenarios/'];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Files of a project stay together: a process is kept only for the next file.
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

function place({ moduleId }: TestSpecification): number {
  const found = first.findIndex((part) => moduleId.includes(part));
  return found === -1 ? first.length : found;
}
