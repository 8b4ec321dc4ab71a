// Any server-sent events and any WebSocket will do: `as` names the protocol, and what is missed while away comes again.
export function follow(server: string, run: string, take: (frame: object) => void): () => void {
  const socket = new WebSocket(`${server.replace('http', 'ws')}/ws/runs/${run}?as=execution`);
  socket.onmessage = ({ data }) => take(JSON.parse(String(data)));
  return () => socket.close();
}
