import { changing, type Move, making, removing, soon } from './move.js';
import type { Thing } from './world.js';

/** Commands about people, keys, agents, the workspace itself, cards and notices. */
export const workspaceMoves: readonly Move[] = [
  making('workspace/addMember', {
    kind: 'member',
    body: ({ draw }) => ({
      name: draw.word(),
      email: `${draw.word()}@example.com`,
      role: draw.oneOf('admin', 'editor', 'viewer'),
      ...draw.perhaps({ permissions: ['functions.edit'] }),
    }),
  }),
  changing('workspace/updateMember', (scene) => ({
    id: scene.id('member'),
    ...scene.draw.some({
      name: scene.draw.word(),
      role: scene.draw.oneOf('admin', 'editor', 'viewer'),
      permissions: ['audit.read'],
    }),
  })),
  removing('workspace/removeMember', 'member'),
  making('workspace/createApiKey', {
    kind: 'key',
    body: (scene) => {
      const { draw, world } = scene;
      const forMember = world.all('member').length > 0 && draw.chance(0.4);
      const more = forMember
        ? { kind: 'person', memberId: scene.id('member') }
        : { kind: draw.oneOf('connection', 'automation', 'flow') };
      const limits = draw.perhaps({ readOnly: draw.chance(0.5), expiresAt: soon(draw) });
      return { name: scene.name('key'), ...more, ...limits };
    },
  }),
  removing('workspace/revokeApiKey', 'key'),
  making('workspace/addAgent', {
    kind: 'agent',
    body: ({ draw }) => ({
      name: draw.word(),
      ...draw.perhaps({ instructions: `Do ${draw.word()}.`, canCreateFunctions: draw.chance(0.5) }),
    }),
  }),
  changing('workspace/updateAgent', (scene) => ({
    id: scene.id('agent'),
    ...scene.draw.some({
      name: scene.draw.word(),
      isActive: scene.draw.chance(0.7),
      instructions: `Look after ${scene.draw.word()}.`,
      canCreateFunctions: scene.draw.chance(0.5),
    }),
  })),
  removing('workspace/removeAgent', 'agent'),
  changing(
    'workspace/updateSettings',
    ({ draw }) =>
      draw.some({
        // Usually on, because without versions nothing can be published.
        versions: draw.chance(0.8),
        functionLogs: draw.chance(0.5),
        runsTab: draw.chance(0.5),
        siteFunctionWebhooks: draw.chance(0.8),
        siteFunctionTargets: draw.chance(0.8),
        accountFunctionScheduleTargets: draw.chance(0.8),
        actsAsWorkspaceSwitch: draw.chance(0.8),
      }),
    0.5,
  ),
  changing('workspace/updateWorkspace', ({ draw }) => ({ name: `Workspace ${draw.word()}` }), 0.5),
  {
    operation: 'approvals/approvePendingChange',
    weight: 3,
    body: (scene) => {
      const { id, hash } = scene.one('card');
      return { id, hash };
    },
    done: ({ world }, _, { id }) => world.remove('card', id),
  },
  {
    operation: 'approvals/rejectPendingChange',
    body: (scene) => ({ id: scene.id('card'), ...scene.draw.perhaps({ reason: 'Not now.' }) }),
    done: ({ world }, _, { id }) => world.remove('card', id),
  },
  making('site/createChat', {
    kind: 'chat',
    body: (scene) => ({ type: scene.draw.oneOf('home', 'flow'), title: scene.draw.word() }),
    facts: (_, { type }) => ({ type }),
  }),
  changing('site/renameChat', (scene) => {
    const { id, type } = scene.one('chat');
    return { id, type, title: scene.draw.word() };
  }),
  removing('site/deleteChat', 'chat', (_, { id, type }) => ({ id, type })),
  {
    operation: 'approvals/undoNotice',
    weight: 4,
    // The newest notice, because an older one can be undone only if nothing else has changed since.
    body: (scene) => ({ id: scene.world.all('notice').at(-1)?.id ?? scene.id('notice') }),
    done: ({ world }, _, { id }) => world.remove('notice', id),
  },
  changing(
    'audit/undoChange',
    async (scene) => {
      const { events } = await scene.ask('audit/listEvents', { limit: 60 });
      return { position: scene.draw.from<Thing>(events)['position'] };
    },
    3,
  ),
];
