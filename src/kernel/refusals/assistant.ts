import { no } from './no.js';

export const assistantRefusals = {
  'assistant-not-configured': no(
    'unavailable',
    () => 'No assistant is configured, so nothing was made or charged; whoever runs this service sets ASSISTANT_URL.',
  ),
  'assistant-unavailable': no(
    'unavailable',
    () => 'The assistant cannot be reached, or answers nothing now; nothing was charged, send the call again later.',
  ),
  'assistant-refused': no(
    'unavailable',
    () =>
      'The assistant did not take what this service sent, and nothing was charged; send less code, or ask whoever runs this service, whose log has the reason.',
  ),
  'assistant-made-nothing': no(
    'unavailable',
    () =>
      'The assistant answered nothing that can be used, so nothing was made or charged; send the call again, or say it in other words.',
  ),
  'ai-credit-lapsed': no(
    'unavailable',
    () => 'The work took longer than an AI credit is kept for it, and nothing was charged; send the call again.',
  ),
} as const;
