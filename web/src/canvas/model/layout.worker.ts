import type { DraftGraph } from './draft-graph.ts';
import { layoutOf } from './layout.ts';
import { leftToRight } from './left-to-right.ts';

/** Puts graphs in order beside the page, which stays free meanwhile. */
addEventListener('message', ({ data }: MessageEvent<DraftGraph>) => {
  postMessage(layoutOf(data, leftToRight).positions);
});
