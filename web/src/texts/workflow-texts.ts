import { deWorkflows } from './de-workflows.ts';
import { enWorkflows, type WorkflowTexts } from './en-workflows.ts';
import { useLanguage, type Language } from './texts.ts';

const languages: Readonly<Record<Language, WorkflowTexts>> = { en: enWorkflows, de: deWorkflows };

/** The sentences of workflows in the language that was chosen. */
export function useWorkflowTexts(): WorkflowTexts {
  return languages[useLanguage()];
}
