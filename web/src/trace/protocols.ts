/** The protocols that a run can be watched in; the server knows them by these names. */
export const protocols = [
  'steps',
  'console',
  'console-dotted',
  'execution',
  'dial',
  'ag-ui',
  'ai-sdk',
  'a2ui-flat',
  'a2ui-0.8',
  'a2ui-0.9',
  'a2ui-1.0',
  'two-stage',
  'openai-chat',
  'openai-responses',
] as const;
