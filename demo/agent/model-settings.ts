/** The model an agent thinks with: the scripted one, or any other that speaks the API of OpenAI. */
export interface AgentModel {
  /** Where the API begins, as in `http://127.0.0.1:8060/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly key?: string;
}

/** What the environment says; the scripted model at its usual place if it says nothing. */
export function modelFrom(environment: NodeJS.ProcessEnv): AgentModel {
  const key = environment['MODEL_KEY'];
  return {
    baseUrl: environment['MODEL_URL'] ?? 'http://127.0.0.1:8060/v1',
    model: environment['MODEL'] ?? 'vitrine-scripted',
    ...(key ? { key } : {}),
  };
}
