import type { ChannelRights } from '../channel/channel-rights.api.js';
import type { Channels } from '../channel/channels.api.js';
import type { Presence } from '../channel/presence.api.js';
import type { ListTools } from './watched-list.js';

/** The extent of a new judgement: only the rules of subscriptions, or also the visitor. */
export type Staleness = 'rules' | 'person';

/** Services that all sessions share. */
export interface SessionTools {
  readonly rights: ChannelRights;
  readonly channels: Channels;
  readonly presence: Presence;
  readonly rows: ListTools;
  now(): number;
}
