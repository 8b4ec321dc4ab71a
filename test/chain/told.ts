// What a chain says, as whoever watches at the root gets it.

interface Told {
  readonly bytes: number;
  readonly text: string;
}

/** Have tokens said by the inmost, in an agent and as its answer; what the root's native stream brings of it. */
export async function toldAt(url: string, tokens: number, how: '' | ' slowly' = ''): Promise<Told> {
  const response = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ input: { text: `say ${tokens / 2}${how}` } }),
  });
  const text = await response.text();
  return { bytes: Buffer.byteLength(text), text };
}
