/** Preloaded into servers from npm that would listen on every interface of the machine; says where they listen. */
import { Server } from 'node:net';

const listen: unknown = Reflect.get(Server.prototype, 'listen');

Server.prototype.listen = function (this: Server, port: unknown, done?: unknown) {
  this.once('listening', () => process.stderr.write(`listening at ${JSON.stringify(this.address())}\n`));
  return Reflect.apply(listen as Server['listen'], this, [{ host: '127.0.0.1', port: Number(port) }, done]);
} as Server['listen'];
