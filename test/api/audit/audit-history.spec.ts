import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

interface Event {
  readonly position: number;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every form.
  readonly data: any;
  readonly changes: readonly { readonly path: string; readonly from: unknown; readonly to: unknown }[];
}

let app: TestApp;
let viewer: string;
beforeAll(async () => {
  app = await sharedApp();
  viewer = (await person(app, 'viewer')).key;
});
afterAll(() => app?.close());

const codeOf = (n: number) => `// ${n}\n${'// a line that says nothing at all\n'.repeat(3_000)}`;
async function save(id: string, change: object) {
  const { updatedAt: seenUpdatedAt } = await done(app, 'automations/getFunction', { id });
  return done(app, 'automations/updateFunction', { id, seenUpdatedAt, ...change });
}
const bytesOf = (answer: object) => Buffer.byteLength(JSON.stringify(answer));
const sha256 = (text: string) => hash('sha256', text, 'hex');

async function pages(operation: string, asked: object, cursor: 'after' | 'before') {
  const all: { readonly events: readonly Event[]; readonly next: number | null }[] = [];
  for (let next: number | null = -1; next !== null; next = all.at(-1)?.next ?? null) {
    all.push(await done(app, operation, { ...asked, ...(next === -1 ? {} : { [cursor]: next }) }, viewer));
  }
  return all;
}

describe('the history of a resource', () => {
  it('names the secrets of a function, and their hosts', async () => {
    await done(app, 'automations/setEnvVar', { name: 'STRIPE_KEY', value: 'x', allowedHosts: ['api.stripe.com'] });
    const { id } = await done(app, 'automations/createFunction', { name: 'With a secret', code: 'return 1' });
    const secrets = [{ name: 'STRIPE_KEY', hosts: ['api.stripe.com'] }];
    const { body } = await app.call('automations/setFunctionSecrets', { id, secrets });
    await done(app, 'approvals/approvePendingChange', { id: body.pendingChange.id, hash: body.pendingChange.hash });
    await done(app, 'automations/setFunctionSecrets', { id, secrets: [] });
    const { events } = await done(app, 'audit/getHistory', { kind: 'function', id }, viewer);
    expect(events.slice(1).map(({ summary }: { summary: string }) => summary)).toEqual([
      'Given secrets: it may use STRIPE_KEY at api.stripe.com',
      'Secrets taken: it may still use none',
    ]);
  });

  it('shows changed code line by line, and compares a draft with the live version', async () => {
    const code = ['// one', '// two', '// three', '// four', '// five', '// six', 'return 1'];
    const next = [...code.slice(0, -1), 'const sum = 2', 'return sum'];
    await done(app, 'workspace/updateSettings', { versions: true });
    const { id } = await done(app, 'automations/createFunction', { name: 'Lines', code: code.join('\n') });
    await save(id, { code: next.join('\n') });
    const { draft } = await done(app, 'automations/getFunction', { id });
    await done(app, 'automations/publishFunction', { id, versionId: draft.versionId });
    await save(id, { description: 'said' });
    const { events } = await done(app, 'audit/getHistory', { kind: 'function', id }, viewer);
    const line = (kind: string, text: string, [before, after]: readonly (number | undefined)[]) => ({
      kind,
      text,
      ...(before && { before }),
      ...(after && { after }),
    });
    const rows = [
      { kind: 'left-out', count: 3 },
      line('same', '// four', [4, 4]),
      line('same', '// five', [5, 5]),
      line('same', '// six', [6, 6]),
      line('removed', 'return 1', [7]),
      line('added', 'const sum = 2', [undefined, 7]),
      line('added', 'return sum', [undefined, 8]),
    ];
    expect(events.map(({ type, lines }: { type: string; lines?: object }) => [type, lines])).toEqual([
      ['FunctionCreated', undefined],
      ['FunctionDraftSaved', [{ path: 'draft.code', added: 2, removed: 1, rows }]],
      ['FunctionPublished', [{ path: 'code', added: 2, removed: 1, rows }]],
      ['FunctionDetailsChanged', undefined],
    ]);
  });

  it('names long texts by their digests, and getEvent answers them', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'Long', code: codeOf(0) });
    await save(id, { code: codeOf(1) });
    const { events } = await done(app, 'audit/getHistory', { kind: 'function', id }, viewer);
    const leftOut = (n: number) => ({ leftOut: 'text', bytes: codeOf(n).length, sha256: sha256(codeOf(n)) });
    expect(events[1].data.code).toEqual(leftOut(1));
    const draft = events[1].changes.find(({ path }: { path: string }) => path === 'draft');
    expect(draft.to.code).toEqual(leftOut(1));
    const whole = await done(app, 'audit/getEvent', { position: events[1].position }, viewer);
    const { changes: _, lines: __, summary, ...listed } = events[1];
    expect(summary).toBe('Saved version 2 as a draft');
    expect(whole).toEqual({ ...listed, data: { ...listed.data, code: codeOf(1) } });
  });

  it('is answered in pages by position, oldest first, which together are complete', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'Paged', code: codeOf(0) });
    for (let n = 1; n <= 44; n++) await save(id, { code: codeOf(n) });
    const whole = await done(app, 'audit/getHistory', { kind: 'function', id }, viewer);
    expect([whole.events.length, whole.next]).toEqual([45, null]);
    const found = await pages('audit/getHistory', { kind: 'function', id, limit: 20 }, 'after');
    expect(found.map(({ events }) => events.length)).toEqual([20, 20, 5]);
    expect(found.flatMap(({ events }) => events)).toEqual(whole.events);
    const beyond = { kind: 'function', id, after: whole.events.at(-1).position };
    expect(await done(app, 'audit/getHistory', beyond, viewer)).toEqual({ events: [], next: null });
  });

  it('ends a page at about a megabyte, like a list of events, even if no text is long', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'Wide' });
    const lists = Array.from({ length: 45 }, (_, n) =>
      Array.from({ length: 20 }, (_, at) => `${n}.${at}.${'x'.repeat(1_400)}`),
    );
    const runBy = (functions: readonly string[]) => ({ pages: false, functions, agents: [] });
    for (const ids of lists) await save(id, { accessRules: { runBy: runBy(ids) } });
    const histories = await pages('audit/getHistory', { kind: 'function', id }, 'after');
    const listings = await pages('audit/listEvents', { id, limit: 200 }, 'before');
    for (const found of [histories, listings]) {
      expect(found.length).toBeGreaterThan(1);
      for (const page of found) expect(bytesOf(page)).toBeLessThan(1_100_000);
      const all = found.flatMap(({ events }) => events);
      expect(all).toHaveLength(46);
      const shown = new Set(all.map(({ data }) => JSON.stringify(data.accessRules?.runBy?.functions)));
      for (const ids of lists) expect(shown).toContain(JSON.stringify(ids));
    }
  });

  it('shows the first fifty changes of an event, and the number of the others', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'Many changes' });
    const databaseIds = Array.from({ length: 200 }, (_, at) => `${at}`);
    await save(id, { grants: { databaseIds } });
    await save(id, { grants: { databaseIds: databaseIds.map((one) => `${one}b`) } });
    const { events } = await done(app, 'audit/getHistory', { kind: 'function', id });
    expect([events[2].changes.length, events[2].changesLeftOut]).toEqual([50, expect.any(Number)]);
  });

  it('shows no event of another workspace, and no unknown one', async () => {
    const other = await otherWorkspace(app);
    const { id } = await done(app, 'automations/createFunction', { name: 'theirs' }, other.ownerKey);
    const { events } = await done(app, 'audit/getHistory', { kind: 'function', id }, other.ownerKey);
    for (const position of [events[0].position, 10 ** 9]) {
      const { status, body } = await app.call('audit/getEvent', { position });
      expect([status, body.code]).toEqual([404, 'resource-not-found']);
    }
  });
});
