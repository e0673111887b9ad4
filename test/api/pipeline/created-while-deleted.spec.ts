import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Reads } from '../../../src/engine/scopes/reads.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, eventsOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let workspaceId: string;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Ends' })).id;
});
afterEach(() => {
  jest.restoreAllMocks();
});

const left = (collection: string) =>
  app.app.get(Reads, { strict: false }).find(workspaceId, collection, { where: { projectId } });

/** Deletes the project and all its records just before an event of this type is appended. */
function deletedBefore(
  type: string,
  collections: readonly string[],
  deletion = () => done(app, 'site/deleteProject', { id: projectId }),
): void {
  const log = app.app.get(EventStore, { strict: false });
  const append = log.append.bind(log);
  const held = jest.spyOn(log, 'append').mockImplementation(async (requests, options) => {
    if (!requests.some(({ events }) => events.some((event) => event.type === type))) return append(requests, options);
    held.mockRestore();
    await deletion();
    for (const collection of collections) {
      await eventually(
        () => left(collection),
        (found) => found.length === 0,
        30_000,
      );
    }
    return append(requests, options);
  });
}

describe('what is created while its project is deleted', () => {
  it.each([
    ['createPage', { name: 'Late', path: '/late' }, 'PageCreated', 'pages'],
    ['createComponent', { name: 'Late' }, 'ComponentCreated', 'components'],
    ['createEmailTemplate', { name: 'Late', slug: 'late' }, 'EmailTemplateCreated', 'email-templates'],
    ['createProjectRole', { name: 'Late' }, 'SiteRoleCreated', 'siteRoles'],
    ['createAppUser', { email: 'late@example.com', password: 'long enough' }, 'AppUserCreated', 'appUsers'],
    ['createEnvVar', { name: 'LATE', value: 'a value that is long enough' }, 'EnvVarSet', 'siteEnvVars'],
    ['createOffer', { key: 'late', name: 'Late', amount: 0 }, 'OfferCreated', 'offers'],
    ['createCoupon', { code: 'LATE', percentOff: 1 }, 'CouponCreated', 'coupons'],
    ['grantEntitlement', { key: 'late' }, 'EntitlementGranted', 'entitlements'],
  ])('with %s is deleted as well', async (operation, body, type, collection) => {
    const user = { projectId, email: 'late@example.com', password: 'long enough' };
    const late =
      operation === 'grantEntitlement' ? { appUserId: (await done(app, 'site/createAppUser', user)).id } : {};
    deletedBefore(type, ['pages', collection]);
    const { status } = await app.call(`site/${operation}`, { projectId, ...body, ...late });
    expect([operation, status]).toEqual([operation, 200]);
    await eventually(
      () => left(collection),
      (found) => found.length === 0,
      30_000,
    );
    const events = await eventsOf(app);
    const [created] = events.filter((event) => event.type === type).slice(-1);
    const last = events.filter(({ stream }) => stream === created?.stream).at(-1);
    expect(last?.type).toBe(type.replace(/Created|Granted|Set/, 'Deleted'));
    expect(last?.position).toBeGreaterThan(created?.position ?? Number.POSITIVE_INFINITY);
  });

  it.each([
    ['createWebhook', {}, 'WebhookCreated', 'webhooks'],
    ['createSchedule', { cronExpression: '0 9 * * *' }, 'ScheduleCreated', 'schedules'],
    ['createMailhook', { name: 'Late', targetKind: 'account_function' }, 'MailhookCreated', 'mailhooks'],
  ])(
    'or with %s during the deletion of its function, is deleted as well',
    async (operation, body, type, collection) => {
      const { id } = await done(app, 'automations/createFunction', { name: type, code: 'return 1;' });
      await done(app, 'automations/updateFunction', { id, isActive: true });
      deletedBefore(type, [], () => done(app, 'automations/deleteFunction', { id }));
      const target = 'targetKind' in body ? { targetRef: id } : { functionId: id };
      const { status } = await app.call(`automations/${operation}`, { ...body, ...target });
      expect([operation, status]).toEqual([operation, 200]);
      const triggers = () =>
        app.app.get(Reads, { strict: false }).find(workspaceId, collection, { where: { targetRef: id } });
      await eventually(triggers, (found) => found.length === 0, 30_000);
    },
  );

  it('for 20 projects with ten pages each at once, leaves nothing', async () => {
    const projects: string[] = [];
    for (let n = 0; n < 20; n += 1) projects.push((await done(app, 'site/createProject', { name: 'Race' })).id);
    await Promise.all(
      projects.flatMap((id) => [
        ...Array.from({ length: 10 }, (_, n) =>
          app.call('site/createPage', { projectId: id, name: 'Page', path: `/p${n}` }),
        ),
        done(app, 'site/deleteProject', { id }),
      ]),
    );
    const pages = () =>
      app.app.get(Reads, { strict: false }).find(workspaceId, 'pages', { where: { projectId: { in: projects } } });
    await eventually(pages, (found) => found.length === 0, 30_000);
  });
});
