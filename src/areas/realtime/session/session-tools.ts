import type { ChannelRights } from '../channel/channel-rights.api.js';
import type { Channels } from '../channel/channels.api.js';
import type { Presence } from '../channel/presence.api.js';
import type { ListTools } from './watched-list.js';

/**
 * Why a session's subscriptions must be checked again: the site's `rules` may have changed, or also the visitor
 * (`person`), who is then looked up first.
 */
export type Staleness = 'rules' | 'person';

export interface SessionTools {
  readonly rights: ChannelRights;
  readonly channels: Channels;
  readonly presence: Presence;
  readonly rows: ListTools;
}
