// Graphs drawn by the app's own component: what a test hands over stands on the page.
import '../../web/src/style/app.css';
import { createRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';
import type { Json } from '../../src/run/values.ts';
import { Figure } from '../../web/src/data/figure.tsx';

const place = document.createElement('div');
document.body.append(place);
const root = createRoot(place);
let drawn = 0;

Object.assign(globalThis, {
  draw(data: Json) {
    const key = (drawn += 1);
    flushSync(() =>
      root.render(<Figure key={key} item={{ kind: 'visualization', shape: 'graph', data }} title="Graph" />),
    );
  },
});
