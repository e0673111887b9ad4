import { byOrder, fits } from './channel-pattern.js';
import type { ChannelRule, SiteRules } from './site-rules.record.js';

export type ChannelSubscriber =
  | { readonly kind: 'user'; readonly id: string }
  | { readonly kind: 'guest'; readonly id: string }
  | { readonly kind: 'nobody' };

export type ChannelDecision =
  | { readonly is: 'open' | 'closed'; readonly why: string }
  /** The caller must evaluate the condition in this rule. */
  | { readonly is: 'ruled'; readonly rule: ChannelRule };

export type ChannelsKnown = Pick<SiteRules, 'channels' | 'guestAccess'>;

const forGuests = 'guest';

/**
 * A guest may listen only to the guest's own channels, and only while guest access is on. For other visitors, the first
 * matching pattern applies; if it reserves the channel for another user, the visitor is refused. If none matches, any
 * signed-in user may listen (Q-S65), but not to the channels of guests (Sites API, setChannelAccessRules and
 * setRealtimeGuestAccess).
 */
export function channelDecision(
  { channels, guestAccess }: ChannelsKnown,
  channel: string,
  who: ChannelSubscriber,
): ChannelDecision {
  if (who.kind === 'guest') {
    const isOwn = fits(`${forGuests}:{self}:*`, channel, who.id) === 'yes';
    if (guestAccess && isOwn) return { is: 'open', why: "It is the guest's own channel." };
    return {
      is: 'closed',
      why: 'Guests may only listen to their own channels, guest:{id}:*, while guest access is on.',
    };
  }
  const subscriberId = who.kind === 'user' ? who.id : undefined;
  for (const rule of byOrder(channels)) {
    const fit = fits(rule.pattern, channel, subscriberId);
    if (fit === 'others') return { is: 'closed', why: `The pattern ${rule.pattern} reserves it for another user.` };
    if (fit === 'yes') return { is: 'ruled', rule };
  }
  if (who.kind === 'nobody') return { is: 'closed', why: 'A channel without rules is only open to signed-in users.' };
  if (channel.startsWith(`${forGuests}:`)) return { is: 'closed', why: 'The channel belongs to a guest.' };
  return { is: 'open', why: 'A channel without rules is open to every signed-in user.' };
}

/**
 * Only the first rule whose pattern matches applies; if the pattern reserves the channel for another user, the visitor
 * is refused. If the rule has no `publish` condition, or if no rule matches, only members and functions may publish
 * (Sites supplement, Realtime). A guest may publish only to channels that the guest may listen to.
 */
export function publishDecision(known: ChannelsKnown, channel: string, who: ChannelSubscriber): ChannelDecision {
  if (who.kind === 'guest' && channelDecision(known, channel, who).is === 'closed') return closedTo.guests;
  const id = who.kind === 'nobody' ? undefined : who.id;
  for (const rule of byOrder(known.channels)) {
    const fit = fits(rule.pattern, channel, id);
    if (fit === 'others') return { is: 'closed', why: `The pattern ${rule.pattern} reserves it for another user.` };
    if (fit === 'yes') return rule.accessRules.publish === undefined ? closedTo.visitors : { is: 'ruled', rule };
  }
  return closedTo.visitors;
}

const closedTo = {
  guests: {
    is: 'closed',
    why: 'Guests may only publish to their own channels, guest:{id}:*, while guest access is on.',
  },
  visitors: { is: 'closed', why: 'Without a rule for publishing, only members and functions may publish.' },
} as const satisfies Readonly<Record<string, ChannelDecision>>;
