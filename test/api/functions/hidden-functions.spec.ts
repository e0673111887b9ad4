import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let visitors: SiteVisitors;
let pass: string;
beforeAll(async () => {
  app = await sharedApp({ several: false });
  await done(app, 'workspace/updateSettings', { versions: false });
  visitors = await siteVisitors(app);
  await visitors.user('ada@example.com');
  pass = await visitors.logIn('ada@example.com');
});
afterAll(() => app?.close());

const nobody = { type: 'user_property', property: 'email', operator: 'eq', value: 'nobody@example.com' };
const signedIn = { type: 'authenticated' };
const noPage = { pages: false, functions: [], agents: [] };
const anyPage = { pages: true, functions: [], agents: [] };

/** Everything that a refusal reveals, without the name that the caller sent and the random id of the decision. */
async function told(path: string, name: string, withPass?: string) {
  const { status, body, headers } = await visitors.post(`${path}/${name}`, {}, withPass);
  const { decisionId, requestId: _, ...rest } = body;
  const text = JSON.stringify(rest).replaceAll(name, '<name>').replaceAll(encodeURIComponent(name), '<name>');
  return [status, text, decisionId.length, headers.get('content-type')];
}

describe('a visitor does not learn which functions exist', () => {
  it('in the workspace: unknown and inaccessible ones are refused in the same way', async () => {
    const { projectId } = visitors;
    const make = async (more: object) => {
      const { id, name } = await done(app, 'automations/createFunction', { name: `f${crypto.randomUUID()}`, ...more });
      await done(app, 'automations/updateFunction', { id, isActive: true });
      return [id, name];
    };
    const served = { grants: { bases: [{ projectId, access: 'read' }] } };
    const closed = [
      await make({ accessRules: { execute: signedIn, runBy: noPage }, ...served }),
      await make({ accessRules: { execute: signedIn, runBy: anyPage } }),
      await make({ accessRules: { execute: nobody, runBy: anyPage }, ...served }),
    ].flat();
    const [inactive] = await make({ accessRules: { execute: nobody, runBy: anyPage }, ...served });
    await done(app, 'automations/updateFunction', { id: inactive, isActive: false });
    for (const who of [undefined, pass]) {
      const unknown = await told('account-functions', 'unknown', who);
      expect(unknown[0]).toBe(403);
      for (const name of [...closed, inactive]) expect(await told('account-functions', name, who)).toEqual(unknown);
    }
  });

  it('nor on the site', async () => {
    const site = new SiteFunctionsScene(app, visitors.projectId);
    await site.create('paged', 'return 1', { accessRules: { execute: signedIn, runBy: { pages: ['page_1'] } } });
    await site.create('ruled', 'return 1', { accessRules: { execute: nobody } });
    const { id } = await site.create('off', 'return 1', { accessRules: { execute: nobody } });
    await site.update(id, { isActive: false });
    for (const who of [undefined, pass]) {
      const unknown = await told('functions', 'unknown', who);
      expect(unknown[0]).toBe(403);
      for (const name of ['paged', 'ruled', 'off', id]) expect(await told('functions', name, who)).toEqual(unknown);
    }
  });

  it('but the owner does, with the id of the decision', async () => {
    const { body } = await visitors.post('account-functions/unknown', {}, pass);
    const explained = await done(app, 'workspace/explainDecision', { id: body.decisionId });
    expect(explained).toMatchObject({ code: 'function-not-found', operation: 'account-functions/unknown' });
  });
});
