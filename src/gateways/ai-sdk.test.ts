import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { chatSubject } from '../../test/chat-subject.ts';
import { aiSdkGateway } from './ai-sdk.ts';
import { gatewayContract } from './gateway.contract.ts';

gatewayContract('ai-sdk', () =>
  chatSubject(({ baseUrl: baseURL, key: apiKey }) => {
    const provider = createOpenAICompatible({ name: 'fake', baseURL, apiKey, includeUsage: true });
    return aiSdkGateway(provider('m'), { sleep: async () => undefined });
  }),
);
