// A recovery counts what a flow has said, notices included, and must not take the engine's own words for the flow's.

/** What the engine posts in scopes of a flow, or about the run as a whole. No flow has these codes. */
export const inScopes: ReadonlySet<string> = new Set([
  'AGENT_GONE',
  'ALREADY_PAUSED',
  'ALREADY_STOPPING',
  'CLIENT_STATE_IGNORED',
  'DECISION_REFUSED',
  'EARLIER_DAMAGED',
  'FLOW_DIVERGED',
  'GUARD_BLOCKED',
  'GUARD_REDACTED',
  'LATE_DECISION',
  'NOT_PAUSED',
  'ON_ITS_OWN',
  'REQUEST_FIELD_IGNORED',
  'RESULT_MISSING',
  'RUN_STRANDED',
  'SCHEMA_UNCHECKED',
  'SCHEDULE_MISSED',
  'SECRET_REDACTED',
  'STRAY_ERROR',
  'UNKNOWN_APPROVAL',
]);

/** What the engine posts at turns and calls alone, where no flow speaks, or as the last thing of a run. */
export const elsewhere: ReadonlySet<string> = new Set([
  'ANSWER_CUT_OFF',
  'ANSWER_FILTERED',
  'BUDGET_EXHAUSTED',
  'CALLS_MISSING',
  'CALLS_UNANSWERED',
  'HISTORY_BOUNDED',
  'IN_DOUBT',
  'LATE_RESULT',
  'SAID_TOO_MUCH',
  'STATE_LEFT_OUT',
  'STATE_PRUNED',
  'STATE_REFUSED',
  'STOP_NOT_HEARD',
  'TOOL_AWAY',
  'UPSTREAM_MALFORMED',
  'WAITING_FOR_PERSON',
  'WAITING_FOR_TURN',
]);
