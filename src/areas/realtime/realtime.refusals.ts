import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

export const realtimeRefusals = {
  'realtime-away': refusal(
    'unavailable',
    () =>
      'This process currently cannot exchange messages with the other processes of the service; try again in a moment.',
  ),
  'channel-invalid': invalid(
    'channel',
    (about: { longest: number }) =>
      `The name of a channel must be 1 to ${about.longest} characters without spaces or control characters.`,
  ),
  'channel-rate': refusal(
    'limited',
    () => 'This site published more messages than can be delivered in this time; try again in a moment.',
  ),
  'channels-taken': refusal(
    'limited',
    (about: { most: number }) => `One connection may have at most ${about.most} subscriptions; unsubscribe from some.`,
  ),
  'channel-denied': refusal('forbidden', () => 'You may not subscribe to this channel; sign in, or ask the owner.'),
  'publish-denied': refusal('forbidden', () => 'You may not publish to this channel; sign in, or ask the owner.'),
  'channel-without-presence': invalid(
    'channel',
    () => 'Only channels whose names begin with presence: show who is subscribed.',
  ),
  'rows-id-missing': invalid('id', () => 'An id is required; changes of rows are reported under it.'),
  'rows-table-missing': invalid('table', () => 'A table is required, by its name or its id.'),
  'realtime-data-missing': invalid('data', () => 'data is required; it is the message to publish, as any JSON value.'),
  'realtime-data-too-large': refusal('too-large', () => 'A message may be at most 32 KB of JSON; send less.'),
};

const known = { ...engineRefusals, ...realtimeRefusals };
export const refusalOf = refusalsOf(known);
export const refuse: Refuse<typeof known> = refusing(known);
