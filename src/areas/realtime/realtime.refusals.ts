import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

export const realtimeRefusals = {
  'realtime-away': refusal(
    'unavailable',
    () => 'Messages do not reach the other processes of this service now; try again in a moment.',
  ),
  'channel-invalid': invalid(
    'channel',
    (about: { longest: number }) =>
      `A channel is named by 1 to ${about.longest} characters without spaces and control characters.`,
  ),
  'channel-rate': refusal(
    'limited',
    () => 'This site published more messages than can be delivered in that time; try again in a moment.',
  ),
  'channels-taken': refusal(
    'limited',
    (about: { most: number }) => `One connection has at most ${about.most} subscriptions; unsubscribe from some.`,
  ),
  'channel-denied': refusal('forbidden', () => 'You may not listen to this channel; sign in, or ask the owner.'),
  'publish-denied': refusal('forbidden', () => 'You may not publish to this channel; sign in, or ask the owner.'),
  'channel-without-presence': invalid(
    'channel',
    () => 'Only channels whose names begin with presence: show who listens to them.',
  ),
  'rows-id-missing': invalid('id', () => 'Changes of rows are reported under an id; send one.'),
  'rows-table-missing': invalid('table', () => 'Name the table whose rows you want, by its name or its id.'),
  'realtime-data-missing': invalid('data', () => 'Send what you publish as data: any JSON.'),
  'realtime-data-too-large': refusal('too-large', () => 'A message is at most 32 KB of JSON; send less.'),
};

const known = { ...engineRefusals, ...realtimeRefusals };
export const refusalOf = refusalsOf(known);
export const refuse: Refuse<typeof known> = refusing(known);
