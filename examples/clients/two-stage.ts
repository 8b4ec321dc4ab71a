// A client of the two-stage protocol needs nothing but fetch.
export async function ask(server: string, project: string, content: string): Promise<string> {
  const response = await fetch(`${server}/api/chat/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ external_id: project, sender: 'user', content, metadata: { mode: 'act' } }),
  });
  const frames = (await response.text()).split('\n').flatMap((line) => line.split(/^data: /)[1] ?? []);
  const done = frames.map((data) => JSON.parse(data)).find((frame) => frame.done !== undefined);
  return done.fullContent;
}
