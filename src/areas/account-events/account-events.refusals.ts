import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { refusal } from '../../kernel/refusals/refusal-entry.js';

export const accountEventsRefusals = {
  'event-trigger-not-found': refusal(
    'not-found',
    () => 'There is no such event trigger in this workspace; listEventTriggers lists the triggers.',
  ),
  'event-triggers-full': refusal(
    'conflict',
    (about: { limit: number }) =>
      `The workspace has ${about.limit} event triggers, which is the limit; remove one that is no longer needed.`,
  ),
  'trigger-run-not-found': refusal(
    'not-found',
    () => 'There is no such trigger run in this workspace; eventTriggerRuns lists the runs of the last 30 days.',
  ),
  'app-install-not-found': refusal(
    'not-found',
    () => 'There is no such installed app in this workspace; appEventInstalls lists the installed apps.',
  ),
};

const known = { ...engineRefusals, ...accountEventsRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
