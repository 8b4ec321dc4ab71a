// Any renderer of A2UI: messages in, what people click out. Here the official processor, which all renderers stand on.
import { MessageProcessor } from '@a2ui/web_core/v0_9';
import { basicCatalog } from '@a2ui/web_core/v0_9/basic_catalog';

export function showRun(server: string, run: string, show: (surface: object) => void): void {
  const processor = new MessageProcessor([basicCatalog], (action) => {
    const body = JSON.stringify({ version: 'v0.9', action });
    const headers = { 'content-type': 'application/json' };
    void fetch(`${server}/api/runs/${run}/a2ui/actions`, { method: 'POST', headers, body });
  });
  processor.onSurfaceCreated(show);
  const stream = new EventSource(`${server}/api/runs/${run}/events?as=a2ui-0.9`);
  stream.onmessage = ({ data }) => processor.processMessages([JSON.parse(String(data))]);
}
