import type { ChannelRights } from '../channel/channel-rights.api.js';
import type { Channels } from '../channel/channels.api.js';
import type { Presence } from '../channel/presence.api.js';
import type { LiveSession, Staleness } from './live-session.js';
import type { ListTools } from './watched-list.js';

/** What sessions share. */
export interface SessionTools {
  readonly rights: ChannelRights;
  readonly channels: Channels;
  readonly presence: Presence;
  readonly rows: ListTools;
  now(): number;
  /** Has the session judged again, soon. */
  stale(session: LiveSession, staleness: Staleness): void;
}
