import { changing, condition, type Move, making, removing, type Scene } from './move.js';
import type { Thing } from './world.js';

const page = ({ draw }: Scene) => `export default () => <p>${draw.word()}</p>;\n`;
const ofProject = (_: unknown, { projectId }: { readonly projectId: string }) => ({ projectId });
const commitMessage = ({ draw }: Scene) => draw.perhaps({ commitMessage: `Made ${draw.word()}` });
const removed = (operation: string, kind: string) =>
  removing(operation, kind, (scene, { id }) => ({ id, ...commitMessage(scene) }));

/** Returns a move that edits content. `oldString` must occur in all content of the kind. */
const edit = (operation: string, kind: string, oldString: string) =>
  changing(operation, (scene) => ({
    id: scene.id(kind),
    oldString,
    newString: `${oldString} ${scene.draw.word()} `,
    ...scene.draw.perhaps({ replaceAll: true }),
    ...commitMessage(scene),
  }));

const snapshotMove = (operation: string) =>
  changing(
    operation,
    async (scene) => {
      const projectId = scene.id('project');
      const answer = await scene.ask('site/listSnapshots', { projectId });
      const snapshots: readonly Thing[] = answer.snapshots ?? answer;
      if (snapshots.length === 0) scene.fewerThan(0, 'project');
      return { projectId, snapshotId: scene.draw.from(snapshots).id };
    },
    0.7,
  );

/** Commands about projects and their content. */
export const siteMoves: readonly Move[] = [
  {
    operation: 'site/createProject',
    body: (scene) => {
      scene.fewerThan(4, 'project');
      return { name: `Site ${scene.draw.word()}`, ...scene.draw.perhaps({ color: '#102030', description: 'A site.' }) };
    },
    done: async (scene, { id }) => {
      const { linkedBase } = await scene.ask('site/getProject', { id });
      scene.world.add('project', { id });
      scene.world.add('base', { id: linkedBase.id, projectId: id });
    },
  },
  changing('site/updateProject', (scene) => ({
    id: scene.id('project'),
    ...scene.draw.some({
      name: `Site ${scene.draw.word()}`,
      description: scene.draw.word(),
      color: '#a0b0c0',
      aiKnowledge: `Knows ${scene.draw.word()}.`,
      pwaEnabled: scene.draw.chance(0.5),
      buildNumber: scene.draw.below(90),
      brandKit: { fonts: ['Inter'] },
    }),
  })),
  changing('site/updateProjectAuth', (scene) => ({
    id: scene.id('project'),
    ...scene.draw.some({
      authEnabled: scene.draw.chance(0.8),
      authAllowSignup: scene.draw.chance(0.5),
      authSessionHours: scene.draw.oneOf(1, 24, null),
      authPaths: { login: `/${scene.draw.word()}` },
    }),
  })),
  changing('site/updateAiPermissions', (scene) => ({
    projectId: scene.id('project'),
    aiPermissions: scene.draw.oneOf<object>({}, { 'pages:*': true }, { 'pages:listPages': true }),
  })),
  changing('site/updateAnalyticsSettings', (scene) => ({
    projectId: scene.id('project'),
    primaryAnalyticsId: scene.draw.oneOf<string | null>(null, 'G-AB12CD34EF', 'G-ZY98XW76VU'),
    secondaryAnalyticsId: scene.draw.oneOf<string | null>(null, 'abc12def34'),
    ...scene.draw.oneOf<object>({}, { consentBanner: true }, { consentBanner: false }),
  })),
  changing('site/updateSubdomain', (scene) => ({ id: scene.id('project'), subdomain: `s-${scene.draw.word()}` })),
  changing('site/updateCustomDomain', (scene) => ({
    id: scene.id('project'),
    customDomain: `${scene.draw.word()}.example.com`,
  })),
  changing('site/removeCustomDomain', (scene) => ({ id: scene.id('project') })),
  changing('site/resetSitePasses', (scene) => ({ id: scene.id('project') }), 0.5),
  changing('site/migrateProjectToRoleSystem', (scene) => ({ projectId: scene.id('project') }), 0.5),
  changing('site/setRealtimeGuestAccess', (scene) => ({
    projectId: scene.id('project'),
    enabled: scene.draw.chance(0.5),
  })),
  changing('site/listOutgoingMail', (scene) => ({ projectId: scene.id('project') }), 0.3),
  { ...removing('site/deleteProject', 'project'), weight: 0.3 },
  making('site/createPage', {
    kind: 'page',
    body: (scene) => ({
      projectId: scene.id('project'),
      name: scene.draw.word(),
      path: `/${scene.draw.oneOf('a', 'b', scene.draw.word())}`,
      content: page(scene),
      ...scene.draw.perhaps({ isHomePage: scene.draw.chance(0.3) }),
      ...commitMessage(scene),
    }),
    facts: ofProject,
  }),
  changing('site/updatePage', (scene) => ({
    id: scene.id('page'),
    ...scene.draw.some({
      name: scene.draw.word(),
      path: `/${scene.draw.oneOf('a', 'b', scene.draw.word())}`,
      title: scene.draw.word(),
      content: page(scene),
      isProtected: scene.draw.chance(0.5),
      sortOrder: scene.draw.below(9),
    }),
  })),
  changing('site/setPageActive', (scene) => {
    const { id: pageId, projectId } = scene.one('page');
    return { projectId, pageId, active: scene.draw.chance(0.6) };
  }),
  changing('site/setPageAccessRules', (scene) => {
    const { id: pageId, projectId } = scene.one('page');
    return { pageId, accessRules: { read: condition(scene, projectId) } };
  }),
  edit('site/editPage', 'page', '<p>'),
  removed('site/deletePage', 'page'),
  making('site/createComponent', {
    kind: 'component',
    body: (scene) => ({
      projectId: scene.id('project'),
      name: `Part${scene.draw.word()}`,
      content: page(scene),
      ...scene.draw.perhaps({ type: 'ui', isGlobal: scene.draw.chance(0.3) }),
    }),
    facts: ofProject,
  }),
  changing('site/updateComponent', (scene) => ({
    id: scene.id('component'),
    ...scene.draw.some({ name: `Part${scene.draw.word()}`, content: page(scene), description: scene.draw.word() }),
  })),
  edit('site/editComponent', 'component', '<p>'),
  removed('site/deleteComponent', 'component'),
  making('site/createEmailTemplate', {
    kind: 'template',
    body: (scene) => ({
      projectId: scene.id('project'),
      name: scene.draw.word(),
      slug: scene.draw.word(),
      subject: `About ${scene.draw.word()}`,
      content: `<p>Hello ${scene.draw.word()}</p>`,
    }),
    facts: ofProject,
  }),
  changing('site/updateEmailTemplate', (scene) => ({
    id: scene.id('template'),
    ...scene.draw.some({ name: scene.draw.word(), slug: scene.draw.word(), content: `<p>${scene.draw.word()}</p>` }),
  })),
  edit('site/editEmailTemplate', 'template', '<p>'),
  removed('site/deleteEmailTemplate', 'template'),
  snapshotMove('site/restoreSnapshot'),
  snapshotMove('site/revertSnapshotChange'),
  making('site/createEnvVar', {
    kind: 'siteEnvVar',
    body: (scene) => ({
      projectId: scene.id('project'),
      name: `NAME_${scene.draw.below(50)}`,
      value: scene.draw.word(),
      ...scene.draw.perhaps({ isSecret: scene.draw.chance(0.5), description: scene.draw.word() }),
    }),
    facts: ofProject,
  }),
  changing('site/updateEnvVar', (scene) => ({
    id: scene.id('siteEnvVar'),
    ...scene.draw.some({ value: scene.draw.word(), description: scene.draw.word() }),
  })),
  removing('site/deleteEnvVar', 'siteEnvVar'),
  making('site/createAccessPolicy', {
    kind: 'policy',
    body: (scene) => {
      const projectId = scene.id('project');
      return { projectId, name: scene.name('policy'), condition: condition(scene, projectId) };
    },
    facts: ofProject,
  }),
  changing('site/updateAccessPolicy', (scene) => ({
    policyId: scene.id('policy'),
    ...scene.draw.some({ name: scene.name('policy'), description: scene.draw.word(), condition: condition(scene) }),
  })),
  removing('site/deleteAccessPolicy', 'policy', (_, { id }) => ({ policyId: id }), 1),
  {
    operation: 'site/setChannelAccessRules',
    body: (scene) => {
      const projectId = scene.id('project');
      const pattern = scene.draw.oneOf('room', 'room:*', 'news');
      return {
        projectId,
        pattern,
        accessRules: { [scene.draw.oneOf('subscribe', 'publish')]: condition(scene, projectId) },
      };
    },
    done: ({ world }, _, { projectId, pattern }) =>
      world.add('channel', { id: `${projectId} ${pattern}`, projectId, pattern }),
  },
  removing('site/deleteChannelAccessRules', 'channel', (_, { projectId, pattern }) => ({ projectId, pattern }), 0),
  changing('site/setEmailAccessRules', (scene) => {
    const projectId = scene.id('project');
    return { projectId, accessRules: scene.draw.oneOf<object>({}, { send: condition(scene, projectId) }) };
  }),
  changing('site/setServerProxyAccessRules', (scene) => {
    const projectId = scene.id('project');
    return { projectId, accessRules: scene.draw.oneOf<object>({}, { execute: condition(scene, projectId) }) };
  }),
];
