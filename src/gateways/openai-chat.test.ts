import { chatSubject } from '../../test/chat-subject.ts';
import { gatewayContract } from './gateway.contract.ts';
import { openAiChatGateway } from './openai-chat.ts';

gatewayContract('openai-chat', () =>
  chatSubject(({ baseUrl, key }) =>
    openAiChatGateway({ baseUrl, key, model: 'm' }, { sleep: async () => undefined }),
  ),
);
