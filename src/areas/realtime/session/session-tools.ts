import type { ChannelRights } from '../channel/channel-rights.api.js';
import type { Channels } from '../channel/channels.api.js';
import type { Presence } from '../channel/presence.api.js';
import type { ListTools } from './watched-list.js';

/** What of a session has to be judged anew: what it listens to, or also who it is. */
export type Staleness = 'rules' | 'person';

/** What sessions share. */
export interface SessionTools {
  readonly rights: ChannelRights;
  readonly channels: Channels;
  readonly presence: Presence;
  readonly rows: ListTools;
  now(): number;
}
