import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { done } from '../support/people.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('X-Dry-Run', () => {
  it.each(['true', 'TRUE', '1', 'yes', '', 'no', 'false, true'])(
    '%s is refused, and nothing is done',
    async (value) => {
      const before = await done(app, 'audit/listEvents');
      const { status, body } = await app.call('automations/createFunction', { name: 'dry', code: '' }, undefined, {
        'x-dry-run': value,
        'idempotency-key': 'dry',
      });
      expect([status, body.code, body.detail]).toEqual([
        400,
        'dry-run-not-supported',
        expect.stringContaining('nothing was done'),
      ]);
      expect(await done(app, 'automations/listFunctions')).toEqual([]);
      expect(await done(app, 'audit/listEvents')).toEqual(before);
    },
  );

  it('is refused on queries, too, so that nobody takes it for known', async () => {
    const { status, body } = await app.call('automations/listFunctions', {}, undefined, { 'x-dry-run': 'true' });
    expect([status, body.code]).toEqual([400, 'dry-run-not-supported']);
  });

  it.each(['false', ' False '])('%s asks for the real call, which is made', async (value) => {
    const name = `real ${value.trim()}`;
    const headers = { 'x-dry-run': value };
    expect((await app.call('automations/createFunction', { name, code: '' }, undefined, headers)).status).toBe(200);
  });
});
