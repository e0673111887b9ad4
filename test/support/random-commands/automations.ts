import { changing, type Move, making, NotNow, removing, type Scene } from './move.js';
import type { Thing } from './world.js';

const runBy = { pages: false, functions: [], agents: 'any' };
const toolSpec = { inputSchema: { type: 'object', properties: { a: { type: 'number' } } } };
/** Draws code that differs nearly every time, so that each save makes a new version. */
const code = ({ draw }: Scene) =>
  draw.oneOf(
    'return params',
    `return ${draw.below(1_000)}`,
    `return '${draw.word()}'`,
    // Usually the function lacks the power for this call.
    `return ctx.env.set('NAME_' + params.a, '${draw.word()}')`,
  );
/** Whether the function was switched on at some time. Usually it still is. */
const isOn = (one: Thing) => one['isActive'] === true;
/** A schedule that is not due during the test, so that nothing starts by itself. */
const cron = ({ draw }: Scene) => `${draw.below(60)} ${draw.below(24)} 1 1 *`;
const hosts = ({ draw }: Scene) => [draw.oneOf('api.example.com', 'hooks.example.org')];
const powers = ({ draw }: Scene) => [draw.oneOf('env', 'email', 'users', 'service', 'entitlements')];

/** Returns the id of a version of the function, usually one in the required state. */
export async function aVersion(
  scene: Scene,
  operation: string,
  body: object,
  state: 'draft' | 'archived',
): Promise<string> {
  const versions = await scene.ask(operation, body);
  const list: readonly Thing[] = Array.isArray(versions) ? versions : versions.versions;
  const fit = list.filter(({ status }) => status === state);
  if (fit.length === 0 && (list.length === 0 || scene.draw.chance(0.9))) throw new NotNow('version');
  return scene.draw.from(fit.length === 0 ? list : fit).id;
}

async function seenFunction(scene: Scene): Promise<object> {
  const id = scene.id('function');
  const { updatedAt } = await scene.ask('automations/getFunction', { id });
  return { id, seenUpdatedAt: updatedAt };
}

async function withVersion(scene: Scene, state: 'draft' | 'archived'): Promise<object> {
  const id = scene.id('function');
  return { id, versionId: await aVersion(scene, 'automations/listFunctionVersions', { functionId: id }, state) };
}
async function seenVersion(scene: Scene): Promise<object> {
  const id = scene.id('function');
  const { version } = await scene.ask('automations/getFunction', { id });
  return { id, seenVersion: version };
}

/** Commands about functions of the workspace, their secrets and what starts them. */
export const automationMoves: readonly Move[] = [
  making('automations/createFunction', {
    kind: 'function',
    weight: 2,
    body: (scene) => ({
      name: scene.name('function'),
      code: code(scene),
      ...scene.draw.perhaps({ description: scene.draw.word(), accessRules: { runBy } }),
      ...scene.draw.perhaps({ toolSpec, exposed: true }),
    }),
  }),
  changing(
    'automations/updateFunction',
    async (scene) => ({
      ...(await seenFunction(scene)),
      ...scene.draw.some({
        name: scene.name('function'),
        description: scene.draw.word(),
        code: code(scene),
        isActive: scene.draw.chance(0.9),
        timeout: 1_000 + scene.draw.below(9_000),
        maxRetries: scene.draw.below(5),
        toolSpec: scene.draw.oneOf(toolSpec, null),
      }),
    }),
    3,
  ),
  {
    operation: 'automations/updateFunction',
    weight: 2,
    body: (scene) => ({ id: scene.id('function'), isActive: true }),
    done: ({ world }, _, { id }) => world.add('function', { id, isActive: true }),
  },
  removing('automations/deleteFunction', 'function', undefined, 3),
  changing('automations/publishFunction', (scene) => withVersion(scene, 'draft')),
  changing('automations/rollBackFunction', (scene) => withVersion(scene, 'archived')),
  changing(
    'automations/setFunctionCapabilities',
    async (scene) => ({
      ...(await seenVersion(scene)),
      ...scene.draw.oneOf({ capabilities: powers(scene) }, { remove: powers(scene) }),
    }),
    2,
  ),
  changing('automations/setFunctionIdentityMode', async (scene) => ({
    ...(await seenVersion(scene)),
    mode: scene.draw.oneOf('workspace', 'as_set_up'),
  })),
  changing('automations/setFunctionSecrets', (scene) => ({
    id: scene.id('function'),
    secrets: scene.draw.oneOf<readonly object[]>([], [{ name: scene.id('envVar'), hosts: hosts(scene) }]),
  })),
  changing('automations/invokeFunction', (scene) => ({
    id: scene.id('function'),
    event: { a: scene.draw.below(9) },
  })),
  making('automations/setEnvVar', {
    kind: 'envVar',
    id: (_, { name }) => name,
    body: (scene) => ({
      name: `NAME_${scene.draw.below(6)}`,
      value: `value ${scene.draw.word()}`,
      overwrite: true,
      ...scene.draw.perhaps({ allowedHosts: hosts(scene) }),
    }),
  }),
  removing('automations/deleteEnvVar', 'envVar', (_, { id }) => ({ name: id }), 1),
  making('automations/createWebhook', {
    kind: 'webhook',
    body: (scene) => ({ functionId: scene.one('function', { where: isOn }).id }),
    facts: ({ token }, { functionId }) => ({ functionId, token }),
  }),
  {
    operation: 'visitor/webhook',
    weight: 2,
    body: (scene) => ({
      token: scene.one('webhook', { where: ({ token }) => token !== undefined })['token'],
      sent: { a: scene.draw.below(9) },
    }),
    send: ({ app }, { token, sent }) =>
      app.send('POST', `/api/automations/functions/webhook/${token}`, JSON.stringify(sent), {
        'content-type': 'application/json',
        prefer: 'respond-async',
      }),
  },
  making('automations/createTargetWebhook', {
    kind: 'webhook',
    body: (scene) => ({ targetKind: 'flow', targetRef: scene.one('flow', { where: isOn }).id }),
    facts: ({ token }, { targetRef }) => ({ targetRef, token }),
  }),
  changing('automations/setWebhookActive', (scene) => ({ id: scene.id('webhook'), isActive: scene.draw.chance(0.5) })),
  changing('automations/setWebhookVerification', (scene) => ({
    id: scene.id('webhook'),
    ...scene.draw.oneOf<object>({ scheme: 'github', newSecret: true }, { scheme: null }),
  })),
  changing('automations/setTriggerReplay', (scene) => ({
    id: scene.id(scene.draw.oneOf('webhook', 'schedule')),
    keepInput: scene.draw.chance(0.7),
  })),
  removing('automations/deleteWebhook', 'webhook'),
  making('automations/createSchedule', {
    kind: 'schedule',
    body: (scene) => {
      const functionId = scene.id('function');
      const flows = scene.world.all('flow');
      const target = flows.length > 0 && scene.draw.chance(0.3);
      const what = target ? { targetKind: 'flow', targetRef: scene.id('flow') } : { functionId };
      return { ...what, cronExpression: cron(scene), ...scene.draw.perhaps({ timezone: 'Europe/Madrid' }) };
    },
    facts: (_, { functionId, targetRef }) => ({ functionId, targetRef }),
  }),
  changing('automations/setScheduleActive', (scene) => ({
    id: scene.id('schedule'),
    isActive: scene.draw.chance(0.5),
  })),
  removing('automations/deleteSchedule', 'schedule', undefined, 1),
  making('automations/createMailhook', {
    kind: 'mailhook',
    body: (scene) => ({
      name: scene.name('mailhook'),
      targetKind: 'account_function',
      targetRef: scene.id('function'),
    }),
    facts: (_, { targetRef }) => ({ targetRef }),
  }),
  changing('automations/updateMailhook', (scene) => ({
    id: scene.id('mailhook'),
    ...scene.draw.some({ name: scene.name('mailhook'), isActive: scene.draw.chance(0.5) }),
  })),
  removing('automations/deleteMailhook', 'mailhook', undefined, 1),
  making('automations/createMailAccount', {
    kind: 'mailbox',
    body: (scene) => ({
      name: scene.name('mailbox'),
      fromAddress: 'robot@example.com',
      host: 'mail.example.com',
      username: scene.draw.word(),
      password: 'correct horse battery staple',
      ...scene.draw.perhaps({ hourlyLimit: 1 + scene.draw.below(1_000), isDefault: scene.draw.chance(0.5) }),
    }),
  }),
  making('connections/addMcpConnection', {
    kind: 'mcpConnection',
    body: (scene) => ({ name: scene.name('mcpConnection'), serverUrl: 'https://tools.example.com/mcp' }),
  }),
  changing('connections/updateMcpConnection', (scene) => ({
    id: scene.id('mcpConnection'),
    ...scene.draw.some({ name: scene.name('mcpConnection'), isEnabled: scene.draw.chance(0.6) }),
  })),
  removing('connections/removeMcpConnection', 'mcpConnection', undefined, 1),
  changing('automations/updateMailAccount', (scene) => ({
    id: scene.id('mailbox'),
    ...scene.draw.some({
      name: scene.name('mailbox'),
      fromName: scene.draw.word(),
      hourlyLimit: 1 + scene.draw.below(1_000),
      isActive: scene.draw.chance(0.6),
      isDefault: scene.draw.chance(0.5),
      password: scene.draw.word(),
    }),
  })),
  removing('automations/deleteMailAccount', 'mailbox', undefined, 1),
  making('accountEvents/addEventTrigger', {
    kind: 'eventTrigger',
    body: (scene) => ({
      event: `custom.${scene.draw.oneOf('sold', 'seen', 'left')}`,
      targetKind: 'account_function',
      targetRef: scene.id('function'),
      ...scene.draw.perhaps({ filters: [{ field: 'a', op: 'eq', value: scene.draw.below(3) }] }),
    }),
    facts: (_, { targetRef }) => ({ targetRef }),
  }),
  changing('accountEvents/updateEventTrigger', (scene) => ({
    id: scene.id('eventTrigger'),
    ...scene.draw.some({
      name: scene.draw.word(),
      isActive: scene.draw.chance(0.5),
      filters: [{ field: 'b', op: 'eq', value: scene.draw.word() }],
    }),
  })),
  removing('accountEvents/removeEventTrigger', 'eventTrigger'),
  making('accountEvents/setFlowEventTrigger', {
    kind: 'eventTrigger',
    body: (scene) => ({
      flowId: scene.id('flow'),
      triggerId: scene.draw.oneOf('node', 'other'),
      event: `custom.${scene.draw.oneOf('sold', 'seen')}`,
    }),
    facts: (_, { flowId }) => ({ flowId }),
  }),
  changing(
    'accountEvents/raise',
    ({ draw }) => ({ name: draw.oneOf('sold', 'seen', 'left'), properties: { a: draw.below(3) } }),
    0.5,
  ),
  making('flows/createFlow', {
    kind: 'flow',
    body: (scene) => ({ name: scene.name('flow'), steps: steps(scene) }),
  }),
  changing('flows/updateFlow', (scene) => ({
    id: scene.id('flow'),
    ...scene.draw.some({
      name: scene.name('flow'),
      description: scene.draw.word(),
      steps: steps(scene),
      isActive: scene.draw.chance(0.8),
    }),
  })),
  changing('flows/setFlowSecrets', (scene) => ({
    id: scene.id('flow'),
    secrets: scene.draw.oneOf<readonly object[]>([], [{ name: scene.id('envVar'), hosts: hosts(scene) }]),
  })),
  changing('flows/runFlow', (scene) => ({ id: scene.id('flow'), input: { a: scene.draw.below(5) } }), 0.5),
  {
    operation: 'flows/updateFlow',
    body: (scene) => ({ id: scene.id('flow'), isActive: true }),
    done: ({ world }, _, { id }) => world.add('flow', { id, isActive: true }),
  },
  removing('flows/deleteFlow', 'flow'),
];

function steps({ draw }: Scene): readonly object[] {
  const all = [
    { id: 'pause', kind: 'wait', settings: { seconds: 0 } },
    { id: 'tell', kind: 'raise_event', settings: { name: draw.word(), properties: {} } },
  ];
  return all.slice(draw.below(2));
}
