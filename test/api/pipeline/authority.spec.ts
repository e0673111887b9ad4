import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CallerTraits, verdictOn } from '../../../src/engine/authorisation/authority.js';
import { allOperations, type RegisteredOperation } from '../../../src/engine/operation/operation.js';
import type { TestApp } from '../../support/app.js';
import { isShallow } from '../../support/depth.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

const own = { kind: 'person', role: 'owner', granted: false, readOnly: false, neverDeletes: false } as const;
const callers = {
  owner: own,
  admin: { ...own, role: 'admin' },
  editor: { ...own, role: 'editor' },
  viewer: { ...own, role: 'viewer' },
  'the Owner’s connection': { ...own, kind: 'connection' },
  'an agent of the Owner’s': { ...own, kind: 'agent', role: 'editor' },
  'an agent of a Viewer’s': { ...own, kind: 'agent', role: 'viewer' },
  automation: { ...own, kind: 'automation', role: 'editor' },
  flow: { ...own, kind: 'flow', role: 'editor' },
  'the Owner’s key that only reads': { ...own, readOnly: true },
  'the Owner’s key that never deletes': { ...own, neverDeletes: true },
} as const satisfies Readonly<Record<string, CallerTraits>>;
type Name = keyof typeof callers;

let app: TestApp;
const keys = new Map<Name, string>();

beforeAll(async () => {
  app = await sharedApp();
  const viewer = await person(app, 'viewer');
  const agentKey = async (owner: object) => {
    const { id } = await done(app, 'workspace/addAgent', { name: 'Scout', ...owner });
    return keyOf(app, { kind: 'agent', agentId: id });
  };
  keys.set('owner', app.ownerKey);
  keys.set('admin', (await person(app, 'admin')).key);
  keys.set('editor', (await person(app, 'editor')).key);
  keys.set('viewer', viewer.key);
  keys.set('the Owner’s connection', await keyOf(app, { kind: 'connection' }));
  keys.set('an agent of the Owner’s', await agentKey({}));
  keys.set('an agent of a Viewer’s', await agentKey({ memberId: viewer.id }));
  keys.set('automation', await keyOf(app, { kind: 'automation' }));
  keys.set('flow', await keyOf(app, { kind: 'flow' }));
  keys.set('the Owner’s key that only reads', await keyOf(app, { kind: 'person', readOnly: true }));
  keys.set('the Owner’s key that never deletes', await keyOf(app, { kind: 'person', neverDeletes: true }));
});
afterAll(() => app.close());

/** Invalid for every operation. A caller with access gets this error, and nothing is done. */
const wrongBody = { 'not a parameter': 1 };

/** In the first tier, only some of the operations that give the same verdicts on all callers. */
function operationsFor(name: Name): readonly RegisteredOperation[] {
  if (!isShallow) return allOperations();
  const alike = Map.groupBy(allOperations(), (one) =>
    Object.values(callers)
      .map((who) => verdictOn(one, who))
      .join(),
  );
  const at = Object.keys(callers).indexOf(name);
  return [...alike.values()].flatMap((some) => some.filter((_, index) => index % 20 === at % some.length));
}

describe('at the door', () => {
  it.each(Object.keys(callers) as Name[])('%s has access as the page of rights states', async (name) => {
    const heard = [];
    const expected = [];
    for (const operation of operationsFor(name)) {
      const { status, body } = await app.call(operation.name, wrongBody, keys.get(name));
      heard.push([operation.name, status, body.code]);
      const verdict = verdictOn(operation, callers[name]);
      expected.push([operation.name, ...(verdict === 'yes' ? [400, 'invalid-input'] : [403, verdict])]);
    }
    expect(heard).toEqual(expected);
  });
});

describe('the page of rights', () => {
  it("is shown beside the API's own, to anybody, as text", async () => {
    const { status, body, headers } = await app.send('GET', '/api/docs/authority.md');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    for (const { name } of allOperations()) expect(body).toContain(`| ${name} |`);
  });
});
