import type { Json } from '../../../kernel/json/json.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';
import { refuse } from '../realtime.refusals.js';

/** The sender of a message, or someone present in a channel. `visitor` is an anonymous visitor. */
export interface Sender {
  readonly kind: 'user' | 'guest' | 'visitor' | 'member' | 'function';
  readonly id: string | null;
}

export interface ChannelMessage {
  readonly projectId: string;
  readonly channel: string;
  readonly data: Json;
  readonly from: Sender;
  /** ISO 8601. */
  readonly at: string;
}

/** Limit of `data` as JSON, in bytes (Sites supplement, Realtime). */
export const largestData = 32 * 1024;
const longestName = 200;
const nameForm = /^[^\p{Cc}\p{Cs}\s]+$/u;

/** Checks a channel's name, which must be one that patterns of channels can match. @throws Refusal channel-invalid */
export function mustBeChannel(name: unknown): string {
  const isName = typeof name === 'string' && name.length <= longestName && nameForm.test(name);
  return isName ? name : refuse('channel-invalid', { longest: longestName });
}

/** @throws Refusal realtime-data-missing, realtime-data-too-large */
export function mustBeData(data: Json | undefined): Json {
  if (data === undefined) return refuse('realtime-data-missing');
  if (Buffer.byteLength(JSON.stringify(data)) > largestData) refuse('realtime-data-too-large');
  return data;
}

export function senderOf({ user, guestId, visitor: { member } }: SiteVisitor): Sender {
  if (user !== undefined) return { kind: 'user', id: user.id };
  if (member !== undefined) return { kind: 'member', id: member.id };
  return guestId === undefined ? { kind: 'visitor', id: null } : { kind: 'guest', id: guestId };
}

/** Whether a channel shows who listens to it, as those with this prefix do (Sites supplement, Realtime). */
export const tellsPresence = (channel: string): boolean => channel.startsWith('presence:');
