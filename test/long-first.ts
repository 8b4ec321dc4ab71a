// A share of mutants is a small file that takes minutes. Begun last, as small files are, one of them would run alone at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isShare), ...sorted.filter((file) => !isShare(file))];
  }
}

function isShare({ moduleId }: TestSpecification): boolean {
  return moduleId.includes('/test/mutants/share-');
}
