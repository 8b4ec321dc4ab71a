import { modelFrom } from '../agent/model-settings.ts';
import { portFrom, runAsProcess } from '../own-process.ts';
import { startUserService } from './server.ts';

const server = await startUserService({
  port: portFrom(process.env, 8042),
  model: modelFrom(process.env),
  database: process.env['DATABASE'] ?? ':memory:',
});
runAsProcess('The user service', server);
