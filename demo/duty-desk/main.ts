import { modelFrom } from '../agent/model-settings.ts';
import { portFrom, runAsProcess } from '../own-process.ts';
import { startDutyDesk } from './server.ts';

const server = await startDutyDesk({
  port: portFrom(process.env, 8066),
  model: modelFrom(process.env),
  board: process.env['NOTICE_BOARD'] ?? 'http://127.0.0.1:8062/notices',
  roster: process.env['ROSTER'] ?? 'http://127.0.0.1:8064/mcp',
});
runAsProcess('The duty desk', server);
