import { Channels } from '../../../realtime/channel/channels.api.js';
import { type CtxMember, ctxMember } from '../ctx-member.js';

export const realtimeMembers: readonly CtxMember[] = [
  /** A function may publish to every channel of its site (sites supplement, Realtime). */
  ctxMember({ channels: Channels })({
    name: 'realtime.publish',
    owner: 'project',
    usage:
      '(channel, data): sends data, any JSON of at most 32 KB, to the visitors who listen to the channel now; resolves to null. The data is not stored.',
    args: ([channel, data], no) =>
      typeof channel === 'string' && data !== undefined ? { channel, data } : no('takes a channel, and data'),
    call: async ({ channel, data }, { channels, scope, site: { projectId } }) => {
      // Listeners are visitors, so secret values are hidden.
      const { value } = await scope.secrets.hiding.json(data);
      const { id } = scope.function;
      await channels.publish({ projectId, channel, data: value, from: { kind: 'function', id } });
      return null;
    },
  }),
];
