// A page with the official Lit renderer of A2UI 0.9, unmodified.
import { basicCatalog } from '@a2ui/lit/v0_9';
import { MessageProcessor } from '@a2ui/web_core/v0_9';
import { act, showPage } from './watching.ts';

/** As much of a browser as is used here. */
declare const document: {
  createElement(name: string): object;
  readonly body: { replaceChildren(child: object): void };
};

const processor = new MessageProcessor([basicCatalog], (action) =>
  act(action.surfaceId, { version: 'v0.9', action }),
);
processor.onSurfaceCreated((surface) => {
  const element = document.createElement('a2ui-surface');
  document.body.replaceChildren(Object.assign(element, { surface }));
});

showPage({
  version: '0.9',
  take: (message) => processor.processMessages([message as never]),
  state: (run) => processor.model.getSurface(run)?.dataModel.get('/'),
});
