import type { Json } from '../../../kernel/json/json.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';
import { refuse } from '../realtime.refusals.js';

/** The kind `visitor` is anonymous. */
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

/** Maximum size of `data`, in bytes of JSON (Sites supplement, Realtime). */
export const largestData = 32 * 1024;
const longestName = 200;
const nameForm = /^[^\p{Cc}\p{Cs}\s]+$/u;

/**
 * Allows only names that patterns in channel rules can match.
 * @throws Refusal channel-invalid
 */
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

/** Whether a channel shows who is present (Sites supplement, Realtime). */
export const reportsPresence = (channel: string): boolean => channel.startsWith('presence:');
