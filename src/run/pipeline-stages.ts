/** The stages of a pipeline that people see, in their order; the icons are names of Material Icons. */
export const pipelineStages = [
  { key: 'guardrails', title: 'Checking guardrails', icon: 'shield' },
  { key: 'enhance', title: 'Enhancing prompt', icon: 'auto_fix_high' },
  { key: 'rag', title: 'Retrieving context', icon: 'search' },
  { key: 'plan', title: 'Planning execution', icon: 'account_tree' },
  /** Stands for the skills until the plan names them; they are below it. */
  { key: 'execute', title: 'Executing skills', icon: 'play_circle' },
  { key: 'post_guard', title: 'Validating output', icon: 'verified' },
] as const;

export type PipelineStage = (typeof pipelineStages)[number]['key'];

/** What their steps are. */
export const stageKind = 'stage';
