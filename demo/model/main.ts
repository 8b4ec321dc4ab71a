import { portFrom, runAsProcess } from '../own-process.ts';
import { startModel } from './server.ts';

const server = await startModel({
  port: portFrom(process.env, 8060),
  pace: Number(process.env['PACE'] ?? 1),
});
runAsProcess('The scripted model', server);
