import type { Slice } from '../../engine/records/slice.js';
import { ChannelRights } from './channel/channel-rights.api.js';
import { Channels } from './channel/channels.api.js';
import { Presence } from './channel/presence.api.js';
import { RowLists } from './rows/row-lists.api.js';
import { LiveSessions } from './session/live-sessions.api.js';
import { RightsChanges } from './session/rights-changes.js';
import { Wire } from './wire/wire.api.js';

export const realtimeSlices: readonly Slice[] = [
  Wire,
  Channels,
  ChannelRights,
  Presence,
  RightsChanges,
  RowLists,
  LiveSessions,
];
