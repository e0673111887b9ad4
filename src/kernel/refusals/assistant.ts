import { refusal } from './refusal-entry.js';

export const assistantRefusals = {
  'assistant-not-configured': refusal(
    'unavailable',
    () => 'No assistant is configured, so nothing was made or charged; whoever runs this service sets ASSISTANT_URL.',
  ),
  'assistant-unavailable': refusal(
    'unavailable',
    () => 'The assistant cannot be reached, or answers nothing now; nothing was charged, send the call again later.',
  ),
  'assistant-refused': refusal(
    'unavailable',
    () =>
      'The assistant did not take what this service sent, and nothing was charged; send less code, or ask whoever runs this service, whose log has the reason.',
  ),
  'assistant-made-nothing': refusal(
    'unavailable',
    () =>
      'The assistant answered nothing that can be used, so nothing was made or charged; send the call again, or say it in other words.',
  ),
  'ai-credit-lapsed': refusal(
    'unavailable',
    () => 'The work took longer than an AI credit is kept for it, and nothing was charged; send the call again.',
  ),
  'agent-inactive': refusal(
    'conflict',
    (about: { name: string }) =>
      `The agent '${about.name}' cannot be run: target is INACTIVE. Activate it with updateAgent isActive true.`,
  ),
  'agent-run-not-allowed': refusal(
    'forbidden',
    (about: { name: string; kind: 'agent' | 'function' }) =>
      `The agent '${about.name}' may not be started by ${about.kind === 'agent' ? 'another agent' : 'a function'}, and neither may they set up a trigger for it; a person has to do it.`,
  ),
  'agent-without-person': refusal(
    'conflict',
    (about: { name: string }) =>
      `The person behind the agent '${about.name}' is no longer there, so it may do nothing; add another agent.`,
  ),
  'agent-run-not-found': refusal(
    'not-found',
    () => 'There is no such run of an agent in this workspace; listAgentRuns shows those there are.',
  ),
} as const;
