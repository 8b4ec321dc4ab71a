import { assistantName, openAssistant, type Assistant } from '../../server/compose/assistant.ts';
import { appsOf } from '../../server/compose/configured-apps.ts';
import { appNamed } from '../../server/folder/home.ts';
import type { CliCommand, Given } from '../command.ts';
import { paceIn, settingsOf, type Settings } from '../settings.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** One agent with tools, put together from what was typed instead of a configuration. */
export const assistantOptions = {
  files: { type: 'string', value: '<folder>', about: 'let the assistant list, read and search this folder' },
  mcp: {
    type: 'string',
    many: true,
    value: '"<command or URL>"',
    about: 'give it the tools of an MCP server; may be repeated',
  },
  model: {
    type: 'string',
    value: '<name>',
    about: 'the model to ask; its key is in OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY',
  },
  'base-url': {
    type: 'string',
    value: '<url>',
    about: 'where it is, if elsewhere: an OpenAI-compatible endpoint; its key is in OPENAI_API_KEY',
  },
  protocol: { type: 'string', value: 'two-stage|unified', about: 'how it uses tools; two-stage unless said' },
} as const satisfies CliCommand['options'];

/** Settings as typed: of the configuration, or of an assistant made up on the spot. Close them when done. */
export async function withAssistant<T>(
  given: Given,
  terminal: Terminal,
  work: (settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = await settingsOf(given, terminal);
  if (!isAsked(given)) return work(settings);
  const assistant = await openAssistant({
    files: given.text('files'),
    mcp: given.texts('mcp'),
    model: given.text('model'),
    baseUrl: given.text('base-url'),
    protocol: given.text('protocol'),
    pace: paceIn(process.env['VITRINE_PACE']),
  });
  try {
    return await work(assisted(settings, assistant));
  } finally {
    await assistant.close();
  }
}

function isAsked(given: Given): boolean {
  return Object.keys(assistantOptions).some((option) => given.texts(option).length > 0);
}

function assisted(settings: Settings, { config }: Assistant): Settings {
  const apps = appsOf(config, 'The assistant');
  return {
    home: { ...settings.home, config },
    apps,
    chosen: (name) => appNamed(apps, name ?? assistantName),
  };
}
