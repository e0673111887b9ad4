import type { ChannelRights } from '../channel/channel-rights.api.js';
import type { Channels } from '../channel/channels.api.js';
import type { Presence } from '../channel/presence.api.js';
import type { ListTools } from './watched-list.js';

/** What is judged again: only the rules of subscriptions, or also the visitor. */
export type Staleness = 'rules' | 'person';

export interface SessionTools {
  readonly rights: ChannelRights;
  readonly channels: Channels;
  readonly presence: Presence;
  readonly rows: ListTools;
  now(): number;
}
