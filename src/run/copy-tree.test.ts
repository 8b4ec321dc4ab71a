import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sized } from '../../test/long.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import { copyTree } from './copy-tree.ts';
import { foldAll } from './entries.ts';

test('[N8] a copy is what the tree was, whatever is folded into either', () => {
  fc.assert(
    fc.property(plausibleRun, fc.nat(), (entries, place) => {
      const cut = place % (entries.length + 1);
      const tree = foldAll(entries.slice(0, cut));
      const [still, onward] = [copyTree(tree), copyTree(tree)];
      foldAll(entries.slice(cut), tree);
      expect(still).toEqual(foldAll(entries.slice(0, cut)));
      foldAll(entries.slice(cut), onward);
      expect(onward).toEqual(foldAll(entries));
      expect(tree).toEqual(onward);
    }),
    { numRuns: sized(150, 2_000) },
  );
});
