import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

/** Rules that no operation would save, as an older version or a fault may have left them, must deny everyone. */
let app: TestApp;
let visitors: SiteVisitors;
let projectId: string;
let workspaceId: string;
let site: SiteFunctionsScene;
let user: { readonly id: string };
let pass: string;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  visitors = await siteVisitors(app);
  ({ projectId } = visitors);
  site = new SiteFunctionsScene(app, projectId);
  user = await visitors.user('ada@example.com');
  pass = await visitors.logIn('ada@example.com');
});
afterAll(() => app?.close());

/** Appends events to the log directly, past every check. */
async function plant(category: string, id: string, type: string, data: object): Promise<void> {
  const metadata = {
    workspaceId,
    actor: { kind: 'person', id: 'mem_1', name: 'Ada' } as const,
    correlationId: 'c',
    causationId: null,
    commandId: randomUUID(),
    operation: 'test',
    at: new Date().toISOString(),
  };
  const stream = streamOf(category, workspaceId, id);
  await app.app
    .get(EventStore)
    .append([{ stream, expected: 'any', events: [{ id: randomUUID(), type, data, metadata }] }]);
}

const everybody = { type: 'public', scope: 'everywhere' };
const rowRules = [
  { type: 'creator' },
  { type: 'field_match', field: 'owner', property: 'email' },
  { type: 'relationship', path: 'owner' },
  { type: 'email', field: 'mail' },
];
/** Puts the row rule alone and inside groups, next to a rule that admits everybody. */
const around = (rule: object) => [rule, [everybody, rule], { not: rule }, { any: [everybody, { all: [rule] }] }];

describe.each(rowRules)('the row rule %j, already stored', (rule) => {
  it('on a function denies everyone (AC-21)', async () => {
    const { id, name } = await site.create(`f ${randomUUID()}`, 'return 1', { accessRules: { execute: everybody } });
    const call = async (as?: string) => (await visitors.post(`functions/${encodeURIComponent(name)}`, {}, as)).status;
    expect([await call(pass), await call()]).toEqual([200, 200]);
    for (const execute of around(rule)) {
      const accessRules = { execute, runBy: { pages: 'any', functions: [], agents: [] } };
      await plant('siteFunction', id, 'FunctionAccessRulesSet', { accessRules });
      await eventually(
        () => done(app, 'site/getBackendFunctionAccessRules', { functionId: id }),
        (saved) => JSON.stringify(saved.accessRules.execute) === JSON.stringify(execute),
      );
      expect([await call(pass), await call()]).toEqual([403, 403]);
      expect(await site.result(name)).toBe(1);
    }
  });

  it('on the email API denies everyone', async () => {
    const code = async (as?: string) =>
      (await visitors.post('email/send', { to: 'a@example.org', subject: 'Hello', text: 'Hello' }, as)).body.code;
    for (const send of around(rule)) {
      await done(app, 'site/setEmailAccessRules', { projectId, accessRules: { send: everybody } });
      await plant('siteRules', projectId, 'EmailAccessRulesSet', { accessRules: { send } });
      await eventually(
        () => done(app, 'site/getEmailAccessRules', { projectId }),
        (saved) => JSON.stringify(saved.accessRules.send) === JSON.stringify(send),
      );
      expect([await code(pass), await code()]).toEqual(['email-send-denied', 'email-send-denied']);
    }
  });

  it('on a page, a channel and the proxy denies everyone', async () => {
    const page = await done(app, 'site/createPage', { projectId, name: 'P', path: `/${randomUUID()}` });
    const asked = [
      [
        'page',
        page.id,
        'page',
        page.id,
        'PageUpdated',
        (read: unknown) => ({ projectId, accessRules: { read }, message: null }),
      ],
      [
        'proxy',
        projectId,
        'siteRules',
        projectId,
        'ProxyAccessRulesSet',
        (execute: unknown) => ({ accessRules: { execute } }),
      ],
      [
        'channel',
        'chat:*',
        'siteRules',
        projectId,
        'ChannelAccessRulesSet',
        (subscribe: unknown) => ({ pattern: 'chat:*', accessRules: { subscribe }, description: null, sortOrder: 0 }),
      ],
    ] as const;
    await done(app, 'site/setEmailAccessRules', { projectId, accessRules: {} });
    for (const [kind, id, category, stream, type, dataOf] of asked) {
      for (const condition of around(rule)) {
        await plant(category, stream, type, dataOf(condition));
        const explained = await eventually(
          async () => {
            const body = { resource: { kind, id }, appUserId: user.id, ...(kind === 'channel' ? { projectId } : {}) };
            return (await app.call('site/explainAccess', body)).body;
          },
          ({ outcome }) => outcome === 'fault',
        );
        expect(explained.allowed).toBe(false);
      }
    }
  });
});
