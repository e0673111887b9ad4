import { aVersion } from './automations.js';
import { changing, condition, type Move, making, removing, type Scene } from './move.js';
import type { Thing } from './world.js';

const code = ({ draw }: Scene) =>
  draw.oneOf(
    'return params',
    `return ${draw.below(1_000)}`,
    `return ctx.files.upload('file-' + params.a, '${draw.word()}')`,
    `for (const { id } of await ctx.files.list({})) await ctx.files.delete(id); return '${draw.word()}'`,
  );
const cron = ({ draw }: Scene) => `${draw.below(60)} ${draw.below(24)} 1 1 *`;
const ofProject = (_: unknown, { projectId }: { readonly projectId: string }) => ({ projectId });
const isPlain = (one: Thing) => one['isData'] !== true;
const plain = (scene: Scene): Thing => scene.one('siteFunction', { where: isPlain });
const named = ({ id, projectId }: Thing) => ({ projectId, functionId: id });

/** Returns the ids of a function with its current version, which operations on sites' functions require. */
async function seen(scene: Scene, fn: Thing): Promise<object> {
  const { version } = await scene.ask('site/getBackendFunction', named(fn));
  return { ...named(fn), seenVersion: version };
}
async function withVersion(scene: Scene, state: 'draft' | 'archived'): Promise<object> {
  const fn = plain(scene);
  return { ...named(fn), versionId: await aVersion(scene, 'site/listBackendFunctionVersions', named(fn), state) };
}

/** Commands about functions of sites and their schedules. */
export const siteFunctionMoves: readonly Move[] = [
  making('site/createBackendFunction', {
    kind: 'siteFunction',
    weight: 2,
    body: (scene) => ({
      projectId: scene.id('project'),
      name: `fn_${scene.draw.word()}`,
      code: code(scene),
      ...scene.draw.perhaps({ description: scene.draw.word(), accessRules: { execute: condition(scene) } }),
    }),
    facts: (_, { projectId, name }) => ({ projectId, name }),
  }),
  changing('site/updateBackendFunction', (scene) => ({
    ...named(plain(scene)),
    ...scene.draw.some({
      description: scene.draw.word(),
      code: code(scene),
      isActive: scene.draw.chance(0.8),
      timeout: 1_000 + scene.draw.below(9_000),
      maxRetries: scene.draw.below(5),
    }),
  })),
  {
    ...removing('site/deleteBackendFunction', 'siteFunction', (_, fn) => named(fn), 3),
  },
  changing('site/publishBackendFunction', (scene) => withVersion(scene, 'draft')),
  changing('site/rollBackBackendFunction', (scene) => withVersion(scene, 'archived')),
  changing(
    'site/setFunctionCapabilities',
    async (scene) => ({
      ...(await seen(scene, plain(scene))),
      ...scene.draw.oneOf<object>(
        { capabilities: [scene.draw.oneOf('env', 'email', 'users', 'service')] },
        { remove: [scene.draw.oneOf('env', 'email', 'users')] },
      ),
    }),
    2,
  ),
  changing('site/setFunctionIdentityMode', async (scene) => ({
    ...(await seen(scene, plain(scene))),
    mode: scene.draw.oneOf('workspace', 'as_set_up'),
  })),
  changing('site/setFunctionSecrets', (scene) => ({
    ...named(plain(scene)),
    secrets: scene.draw.oneOf<readonly object[]>(
      [],
      [{ name: scene.draw.oneOf(`NAME_${scene.draw.below(50)}`, scene.id('envVar')), hosts: ['api.example.com'] }],
    ),
  })),
  changing('site/setBackendFunctionAccessRules', (scene) => ({
    functionId: scene.id('siteFunction'),
    accessRules: { execute: scene.draw.oneOf<object | null>(condition(scene), null) },
  })),
  changing('site/keepFixing', (scene) => ({ ...named(plain(scene)), on: scene.draw.chance(0.5) })),
  {
    operation: 'site/invokeBackendFunction',
    weight: 2,
    body: (scene) => {
      const { projectId, name } = scene.one('siteFunction');
      return { projectId, functionName: name, params: { a: scene.draw.below(9) } };
    },
  },
  making('site/createDataFunction', {
    kind: 'siteFunction',
    body: (scene) => {
      const { baseId, name } = scene.one('table', { where: ({ baseId }) => siteOf(scene, baseId) !== undefined });
      return {
        projectId: siteOf(scene, baseId),
        name: `data_${scene.draw.word()}`,
        definition: { kind: scene.draw.oneOf('count', 'list'), table: name },
      };
    },
    facts: (_, { projectId, name, definition }) => ({ projectId, name, isData: true, definition }),
  }),
  changing('site/updateDataFunction', (scene) => {
    const fn = scene.one('siteFunction', { where: (one) => !isPlain(one) });
    const definition = { ...fn['definition'], filter: { total: scene.draw.below(9) } };
    return { ...named(fn), ...scene.draw.some({ description: scene.draw.word(), definition }) };
  }),
  making('site/createSchedule', {
    kind: 'siteSchedule',
    body: (scene) => {
      const { projectId, name } = scene.one('siteFunction');
      return {
        projectId,
        functionName: name,
        cronExpression: cron(scene),
        ...scene.draw.perhaps({ params: { a: 1 } }),
      };
    },
    facts: ofProject,
  }),
  changing('site/updateSchedule', (scene) => {
    const { id, projectId } = scene.one('siteSchedule');
    const changed = scene.draw.some({
      cronExpression: cron(scene),
      name: scene.draw.word(),
      isActive: scene.draw.chance(0.5),
      params: { a: scene.draw.below(9) },
    });
    return { projectId, id, ...changed };
  }),
  removing('site/deleteSchedule', 'siteSchedule', (_, { id, projectId }) => ({ projectId, id }), 1),
];

const siteOf = ({ world }: Scene, baseId: string): string | undefined =>
  world.all('base').find(({ id }) => id === baseId)?.['projectId'];
