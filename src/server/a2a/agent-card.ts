import type { AgentCard, AgentSkill } from '@a2a-js/sdk';
import type { App } from '../folder/home.ts';
import { stepsExtension } from '../../wire/a2a.ts';
import { versionHere } from '../version.ts';

/** An app as agents of other systems find it. `url` is where it is spoken to. */
export function agentCard(
  { name, description = `The app «${name}» of this Vitrine.` }: App,
  url: string,
): AgentCard {
  const modes = ['text/plain'];
  return {
    name,
    description,
    version: versionHere(),
    provider: undefined,
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
      tenant: '',
    })),
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [
        {
          uri: stepsExtension,
          description: 'Tasks have an artifact «steps»: the tree of nested steps as data.',
          required: false,
          params: undefined,
        },
      ],
    },
    securitySchemes: {
      key: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: '', scheme: 'bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [skillOf({ name, description }, modes)],
    signatures: [],
  };
}

function skillOf(
  { name, description }: { readonly name: string; readonly description: string },
  modes: string[],
): AgentSkill {
  return {
    id: name,
    name,
    description,
    tags: ['app'],
    examples: [],
    inputModes: modes,
    outputModes: modes,
    securityRequirements: [],
  };
}

/** What clients of version 0.3 read of a card, beside what newer ones do. */
export function legacyFields(url: string): object {
  return { url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' };
}
