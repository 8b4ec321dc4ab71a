import { DefaultChatTransport } from 'ai';

export const transport = new DefaultChatTransport({ api: 'http://127.0.0.1:4747/ai-sdk/tour/chat' });
