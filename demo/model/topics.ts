/** What a message may be about, and how an agent says of itself that it knows about that. */
export interface Topic {
  readonly name: string;
  readonly example: string;
  /** Words of a message that ask for it. */
  readonly asks: RegExp;
  /** Words of a description that promise it. */
  readonly serves: RegExp;
  /** Topics whose findings it needs when a message asks for both. */
  readonly after?: readonly string[];
  /** What its agent is told beside the message, when others work too. */
  readonly instructions?: (message: string) => string | undefined;
  /** Only looked at when no other topic fits. */
  readonly isLast?: boolean;
}

/** Before what else can be asked, in the instructions to whoever gets a message that nobody promises anything for. */
export const othersCan = 'Other agents here can be asked:';

const link = /\bLINK(?:-[A-Z\d]+)+\b/i;

export function linkIn(text: string): string | undefined {
  return link.exec(text)?.[0].toUpperCase();
}

/** In the order their agents are named in a plan. */
export const topics: readonly Topic[] = [
  {
    name: 'users',
    example: 'List users named John',
    asks: /\b(?:users?|accounts?|people (?:named|called)|members?)\b/i,
    serves: /\b(?:users?|accounts?)\b/gi,
  },
  {
    name: 'topology',
    example: 'What paths depend on LINK-SYD-MEL-FIBRE-01?',
    asks: /\b(?:paths?|links? (?:is|are|do|down|failed|connect\w*|at|in|from|to)|topology|routers?|sites?|depends?|dependenc\w+|at risk|affected|neighbours?|route (?:from|between)|mpls)\b/i,
    serves: /\b(?:graph|topolog\w*|paths?|links?|routers?|depend\w*)\b/gi,
  },
  {
    name: 'telemetry',
    example: 'Which links have the highest utilisation?',
    asks: /\b(?:telemetry|utili[sz]ation|latency|packet loss|loss|throughput|optical|busy|busiest|slowest|at risk)\b/i,
    serves: /\b(?:telemetry|metrics?|measure\w*|utili[sz]ation|latency)\b/gi,
    instructions: (message) => {
      const named = linkIn(message);
      return named ? `Give the telemetry of ${named}.` : 'Give the telemetry of the links that do worst.';
    },
  },
  {
    name: 'tickets',
    example: 'Which tickets are about Perth?',
    asks: /\b(?:tickets?|incidents?|(?:happen|fail)(?:ed)? (?:here )?before|ever failed|last time|in the past|outages? (?:before|earlier))\b/i,
    serves: /\b(?:tickets?|incidents?|histor\w+|past)\b/gi,
  },
  {
    name: 'runbooks',
    example: 'Summarise the runbook for fibre cuts',
    asks: /\b(?:runbooks?|playbooks?|procedures?|what (?:should|must|do) we do|how do we (?:fix|repair|handle))\b/i,
    serves: /\b(?:runbooks?|procedures?|playbooks?)\b/gi,
    after: ['topology', 'telemetry', 'tickets'],
    instructions: () => 'Look up what to do about the failure that was found.',
  },
  {
    name: 'dispatch',
    example: 'Dispatch a field engineer to LINK-SYD-MEL-FIBRE-01',
    asks: /\b(?:dispatch|(?:send|call) (?:out )?(?:an? |the )?(?:field )?(?:engineer|crew|technician))\b/i,
    serves: /\bdispatch\w*|field engineers?\b/gi,
    after: ['users', 'topology', 'telemetry', 'tickets', 'runbooks'],
  },
  {
    name: 'duty',
    example: 'Who is on call in Melbourne?',
    asks: /\b(?:who(?: is|'s| will be)? on (?:call|duty)|on (?:call|duty) (?:in|at|near|for|now|this|next)|rosters?|spares?|in stock|notices?|planned (?:works?|maintenance))\b/i,
    serves: /\b(?:on call|roster|spares?|stock|notices?)\b/gi,
  },
  {
    name: 'surveys',
    example: 'Make a survey of the links',
    asks: /\bsurvey\w*\b/i,
    serves: /\bsurvey\w*\b/gi,
  },
  {
    name: 'watching',
    example: 'Keep watch over LINK-SYD-BNE-FIBRE-01',
    asks: /\b(?:keep (?:a )?watch|keep an eye|watch (?:over )?link)/i,
    serves: /\bwatch\w*\b/gi,
  },
  {
    name: 'calculation',
    example: 'Calculate fibonacci(10)',
    asks: /\b(?:calculate|compute|fibonacci|factorial|primes?|javascript|run (?:this|the) code|chart|plot|draw)\b|\d\s*[-+*/^]\s*\d/i,
    serves: /\b(?:calculat\w*|code|javascript|general)\b/gi,
  },
  {
    name: 'documents',
    example: 'What do the documents say about maintenance windows?',
    asks: /\b(?:files?|documents?|handbook|polic(?:y|ies)|summari[sz]e)\b/i,
    serves: /\b(?:documents?|files?|general)\b/gi,
    isLast: true,
  },
];

/** A message that only makes sense with what was said before it. */
export function isFollowUp(message: string): boolean {
  const words = message.trim().split(/\s+/);
  return (
    words.length <= 3 ||
    (words.length <= 12 &&
      /\b(?:it|its|them|they|that|those|these|ones?|first|second|third|last|same|again|now|also|instead|him|her|both)\b/i.test(
        message,
      ))
  );
}
