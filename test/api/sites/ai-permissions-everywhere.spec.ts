import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allOperations } from '../../../src/engine/operation/operation.js';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { kept, type NarrowedSite, narrowedSite } from '../../support/sites/narrowed-site.js';
import { bodyAbout, namesSomethingOf } from '../../support/sites/site-bodies.js';

let app: TestApp;
let site: NarrowedSite;
let agentKey: string;
beforeAll(async () => {
  app = await sharedApp({ several: false });
  site = await narrowedSite(app);
  agentKey = await keyOf(app, { kind: 'agent', agentId: (await agentWith(app, { canCreateFunctions: true })).id });
});
afterAll(() => app.close());

/** The site refuses with the first code. The others are refusals of operations that no agent may use. */
const missing = 'ai-permission-missing';
const refusals = [missing, 'caller-not-allowed', 'permission-missing', 'only-a-person-decides'];

interface Told {
  readonly id: string;
  readonly position: number;
  readonly resource: { readonly kind: string; readonly id: string };
}

describe('an agent of a site that lets agents use its pages alone', () => {
  it('is refused every operation outside the pages that names something of the site, and learns nothing of it from others', async () => {
    const wrong: unknown[] = [];
    let refused = 0;
    for (const operation of allOperations()) {
      if (operation.group === 'pages') continue;
      const body = bodyAbout(site, operation);
      const names = namesSomethingOf(site, body);
      const { status, body: answer } = await app.call(operation.name, body, agentKey);
      const told = [operation.name, body, status, answer.code ?? answer];
      if (names && !(status === 403 && refusals.includes(answer.code))) wrong.push(told);
      if (names) refused += 1;
      if (!names && JSON.stringify(answer).includes(kept)) wrong.push(told);
    }
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(150);
  });

  it('can read only the pages of the site in the audit', async () => {
    const { events } = await done(app, 'audit/listEvents', { limit: 200 });
    const ofSite = new Set<unknown>(Object.values(site));
    const told: Told[] = events.filter(({ resource }: Told) => ofSite.has(resource.id) && resource.kind !== 'page');
    const resources = new Map(told.map((event) => [`${event.resource.kind} ${event.resource.id}`, event]));
    const asked = [...resources.values()].flatMap(({ id, position, resource }): [string, string, object][] => [
      [resource.kind, 'audit/getHistory', resource],
      [resource.kind, 'audit/getStateAt', { ...resource, position }],
      [resource.kind, 'audit/diffStates', { ...resource, from: 0, to: position }],
      [resource.kind, 'audit/getEvent', { position }],
      [resource.kind, 'audit/effectsOf', { eventId: id }],
      [resource.kind, 'audit/causesOf', { eventId: id }],
    ]);
    for (const [kind, operation, body] of asked) {
      const { status, body: answer } = await app.call(operation, body, agentKey);
      // No permission of a site lets an agent see mailboxes.
      const refused = kind === 'mailAccount' ? [404, 'resource-not-found'] : [403, missing];
      expect([kind, operation, status, answer.code]).toEqual([kind, operation, ...refused]);
    }
    expect(resources.size).toBeGreaterThan(15);
    const listed = await done(app, 'audit/listEvents', { limit: 200 }, agentKey);
    const seen = listed.events
      .filter(({ resource }: Told) => ofSite.has(resource.id))
      .map(({ resource }: Told) => resource.kind);
    expect([...new Set(seen)]).toEqual(['page']);
    const others = listed.events.filter(({ resource }: Told) => resource.kind !== 'page');
    expect(JSON.stringify(others)).not.toContain(kept);
  });

  it('can use the pages', async () => {
    await done(app, 'site/getPage', { id: site.pageId }, agentKey);
    await done(app, 'audit/getHistory', { kind: 'page', id: site.pageId }, agentKey);
  });
});
