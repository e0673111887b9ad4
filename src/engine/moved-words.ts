import type { RecordedEvent } from '../kernel/event.js';

/** For a card of which no event tells what has moved. */
export const movedSomehow = 'What it was made for has changed since, so the card is void.';

/** Why a card is void: what happened, by whom and when. `said`: the event in a sentence without a full stop. */
export function movedWords(name: string, said: string, { metadata: { actor, at } }: RecordedEvent): string {
  const what = said.charAt(0).toLowerCase() + said.slice(1);
  const when = `${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`;
  return `'${name}' changed after this card was made (${what}, by ${actor.name} on ${when}), so the card is void.`;
}
