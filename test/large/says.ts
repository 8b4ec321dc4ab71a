import type { Flow } from '../../src/engine/scope.ts';

const piece = 32_000;
const perStep = 33;

/** So many steps of about a megabyte each. */
export function says(): { readonly flow: Flow } {
  return {
    flow: {
      name: 'says',
      version: '1',
      async run(scope, { text }) {
        const said = 'All work and no play. '.repeat(piece / 22);
        for (let i = 0; i < Number(text); i += 1) {
          await scope.step({ key: `${i}`, title: `Megabyte ${i}` }, async (step) => {
            for (let k = 0; k < perStep; k += 1) step.say(said);
          });
        }
        return 'said';
      },
    },
  };
}
