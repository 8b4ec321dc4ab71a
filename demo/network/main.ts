import { modelFrom } from '../agent/model-settings.ts';
import { portFrom, runAsProcess } from '../own-process.ts';
import { startNetwork } from './server.ts';

const server = await startNetwork({
  port: portFrom(process.env, 8062),
  model: modelFrom(process.env),
  records: process.env['DATABASE'] ?? ':memory:',
});
runAsProcess('The network operations centre', server);
