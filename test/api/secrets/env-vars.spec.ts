// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SecretValues } from '../../../src/areas/secrets/env-var/secret-values.api.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let workspaceId = '';
let seal: jest.SpiedFunction<Vault['seal']>;
beforeAll(async () => {
  app = await sharedApp();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  seal = jest.spyOn(app.app.get(Vault, { strict: false }), 'seal');
});
afterAll(async () => {
  seal.mockRestore();
  await app.close();
});

let made = 0;
const newName = () => `SECRET_${made++}`;
const set = (input: object, key?: string, headers?: Record<string, string>) =>
  app.call('automations/setEnvVar', input, key, headers);
const remove = (name: string, key?: string) => app.call('automations/deleteEnvVar', { name }, key);
const list = async (key?: string) => done(app, 'automations/listEnvVars', {}, key);
const listed = async (name: string) => (await list()).find((one: { name: string }) => one.name === name);
const opened = async (...names: string[]) =>
  app.app.get(SecretValues, { strict: false }).open(workspaceId, names.slice());
const openedValue = async (name: string) => (await opened(name)).get(name)?.value;
const history = async (name: string) =>
  app.app.get(EventStore, { strict: false }).readStream(`envVar-${workspaceId}.${name}`);

/** Vault entries of variables that still exist, for all names or for one. */
async function held(name?: string): Promise<readonly string[]> {
  const ids =
    name === undefined ? [''] : (await history(name)).map(({ data }) => (data as { valueId: string }).valueId);
  const sealed = new Set(seal.mock.calls.map(([entry]) => entry).filter((entry) => entry.startsWith('env-var/')));
  const vault = app.app.get(Vault, { strict: false });
  const found = await Promise.all([...sealed].map(async (entry) => ({ entry, value: await vault.open(entry) })));
  return found.flatMap(({ entry, value }) => (value && ids.some((id) => entry.endsWith(id)) ? [entry] : []));
}

async function refused(reply: ReturnType<typeof set>, status: number, code: string) {
  const { body, ...rest } = await reply;
  expect({ status: rest.status, code: body.code }).toEqual({ status, code });
  return body;
}

describe('setEnvVar', () => {
  it('answers the secret without its value, which is only in the vault', async () => {
    const name = newName();
    const { status, body } = await set({
      name,
      value: 'hush',
      description: 'Pays.',
      allowedHosts: ['API.Example.com'],
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        name,
        description: 'Pays.',
        allowedHosts: ['api.example.com'],
        updatedAt: expect.any(String),
        warning: expect.stringContaining('could be found by guessing'),
      },
    });
    expect((await opened(name)).get(name)).toEqual({ name, value: 'hush', allowedHosts: ['api.example.com'] });
    expect(await held(name)).toHaveLength(1);
  });

  it('without allowedHosts permits no sending of the secret', async () => {
    const name = newName();
    expect((await set({ name, value: 'x' })).body).toMatchObject({ allowedHosts: [], description: '' });
  });

  it.each(['A', `A${'_'.repeat(99)}`, 'X9'])('accepts the name %s', async (name) => {
    expect((await set({ name, value: 'x' })).status).toBe(200);
  });

  it.each(['', 'a', 'lower_CASE', '9A', '_A', 'A-B', 'A.B', 'A B', 'Ä', `A${'_'.repeat(100)}`, 'A\n'])(
    'refuses the name %j',
    async (name) => {
      const { errors } = await refused(set({ name, value: 'x' }), 400, 'invalid-input');
      expect(errors).toEqual([{ path: 'name', message: 'must match ^[A-Z][A-Z0-9_]{0,99}$' }]);
    },
  );

  it('refuses APP_ names, which code reads in the clear', async () => {
    const { errors } = await refused(set({ name: 'APP_KEY', value: 'x' }), 400, 'env-var-name-reserved');
    expect(errors).toEqual([{ path: 'name', message: expect.stringContaining('does not begin with APP_') }]);
    expect(await listed('APP_KEY')).toBeUndefined();
  });

  it.each([
    ['ASCII', 'x'.repeat(10_000)],
    ['characters of two halves', '😀'.repeat(10_000)],
    ['one character', 'x'],
    ['line breaks and what is no text', '-----BEGIN\n\t\u0001\r\n'],
  ])('accepts a value of %s and returns the same', async (_, value) => {
    const name = newName();
    expect((await set({ name, value })).status).toBe(200);
    expect(await openedValue(name)).toBe(value);
  });

  it.each([
    ['10,001 characters', 'x'.repeat(10_001), 'must be at most 10000 characters'],
    ['20,000 code points that look like 10,000', '❤️'.repeat(10_000), 'must be at most 10000 characters'],
    ['nothing', '', 'must not be empty'],
    ['half a character', 'x\ud83d', 'must be well-formed Unicode, without lone surrogates'],
    ['null', null, 'must be a string'],
    ['a number', 7, 'must be a string'],
  ])('refuses a value of %s', async (_, value, message) => {
    const name = newName();
    const { errors } = await refused(set({ name, value }), 400, 'invalid-input');
    expect(errors).toEqual([{ path: 'value', message }]);
    expect(await listed(name)).toBeUndefined();
  });

  it.each([
    ['a scheme', 'https://api.example.com', 'without a scheme'],
    ['a port that is none', 'api.example.com:0', 'a port from 1 to 65535'],
    ['a path', 'api.example.com/v1', 'without a path'],
    ['a wildcard inside', 'api.*.com', 'wildcard'],
    ['a wildcard over a top-level domain', '*.com', 'two labels'],
    ['a bare wildcard', '*', 'wildcard'],
    ['an empty text', '', 'must not be empty'],
  ])('refuses a host with %s and names its path', async (_, host, message) => {
    const name = newName();
    const { errors } = await refused(
      set({ name, value: 'x', allowedHosts: ['api.example.com', host] }),
      400,
      'invalid-input',
    );
    expect(errors).toEqual([{ path: 'allowedHosts[1]', message: expect.stringContaining(message) }]);
    expect(await listed(name)).toBeUndefined();
  });

  it('accepts 100 hosts and refuses 101', async () => {
    const hosts = Array.from({ length: 101 }, (_, n) => `h${n}.example.com`);
    expect((await set({ name: newName(), value: 'x', allowedHosts: hosts.slice(1) })).body.allowedHosts).toHaveLength(
      100,
    );
    await refused(set({ name: newName(), value: 'x', allowedHosts: hosts }), 400, 'invalid-input');
  });

  it.each([undefined, false])('refuses an existing name with overwrite %s, and changes nothing', async (overwrite) => {
    const name = newName();
    await set({ name, value: 'first', allowedHosts: ['a.example.com'] });
    const before = await held();
    await refused(set({ name, value: 'second', allowedHosts: [], overwrite }), 409, 'env-var-exists');
    expect((await opened(name)).get(name)).toEqual({ name, value: 'first', allowedHosts: ['a.example.com'] });
    expect(await held()).toEqual(before);
  });

  it('with overwrite stores a new value, keeps omitted fields and destroys the former value', async () => {
    const name = newName();
    await set({ name, value: 'first', description: 'Pays.', allowedHosts: ['a.example.com'] });
    const { body } = await set({ name, value: 'second', overwrite: true });
    expect(body).toMatchObject({ description: 'Pays.', allowedHosts: ['a.example.com'] });
    expect(await openedValue(name)).toBe('second');
    expect(await held(name)).toHaveLength(1);
    await set({ name, value: 'third', overwrite: true, description: '', allowedHosts: [] });
    expect(await listed(name)).toMatchObject({ description: '', allowedHosts: [] });
  });

  it('with overwrite also creates a missing one', async () => {
    const name = newName();
    expect((await set({ name, value: 'x', overwrite: true })).status).toBe(200);
    expect(await openedValue(name)).toBe('x');
  });

  it('has one effect if it is repeated with one Idempotency-Key', async () => {
    const name = newName();
    const [first, again] = [
      await set({ name, value: 'x' }, undefined, { 'idempotency-key': name }),
      await set({ name, value: 'x' }, undefined, { 'idempotency-key': name }),
    ];
    expect(again.body).toEqual(first.body);
    expect(await history(name)).toHaveLength(1);
  });

  it('refuses unknown parameters', async () => {
    await refused(set({ name: newName(), value: 'x', isSecret: true }), 400, 'invalid-input');
  });
});

describe('20 calls at once', () => {
  const calls = Array.from({ length: 20 }, (_, n) => n);

  it('without overwrite: one creates the secret, and its value is stored', async () => {
    const name = newName();
    const before = await held();
    const replies = await Promise.all(calls.map((n) => set({ name, value: `value ${n}`, description: `${n}` })));
    const winners = replies.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(replies.filter(({ body }) => body.code === 'env-var-exists')).toHaveLength(19);
    expect(await openedValue(name)).toBe(`value ${winners[0]?.body.description}`);
    expect(await held(name)).toHaveLength(1);
    expect(await held()).toHaveLength(before.length + 1);
  });

  it('with overwrite: the last one recorded is stored, and no other', async () => {
    const name = newName();
    const replies = await Promise.all(
      calls.map((n) => set({ name, value: `value ${n}`, description: `${n}`, overwrite: true })),
    );
    expect(replies.map(({ status }) => status)).toEqual(calls.map(() => 200));
    const events = await history(name);
    expect(events).toHaveLength(20);
    const { description } = (events.at(-1) ?? { data: {} }).data as { readonly description: string };
    expect(await listed(name)).toMatchObject({ description });
    expect(await openedValue(name)).toBe(`value ${description}`);
    expect(await held(name)).toHaveLength(1);
  });

  it('and as many readers get a value with its own hosts, each time', async () => {
    const name = newName();
    await set({ name, value: 'h0.example.com', allowedHosts: ['h0.example.com'] });
    const writing = Promise.all(
      calls.map((n) => set({ name, value: `h${n}.example.com`, allowedHosts: [`h${n}.example.com`], overwrite: true })),
    );
    const seen = [];
    for (let n = 0; n < 200; n++) seen.push((await opened(name)).get(name));
    await writing;
    for (const secret of seen) expect(secret?.allowedHosts).toEqual([secret?.value]);
  });
});

describe('listEnvVars', () => {
  it('answers a plain array by name, with four members each', async () => {
    await set({ name: 'ZZ', value: 'x' });
    await set({ name: 'AA', value: 'x' });
    const all = await list();
    expect(all.map(({ name }: { name: string }) => name)).toEqual(all.map(({ name }: { name: string }) => name).sort());
    for (const one of all)
      expect(Object.keys(one).sort()).toEqual(['allowedHosts', 'description', 'name', 'updatedAt']);
  });

  it('shows nothing of another workspace, which has its own names', async () => {
    const other = await otherWorkspace(app);
    const name = newName();
    await set({ name, value: 'ours' });
    expect(await list(other.ownerKey)).toEqual([]);
    await refused(remove(name, other.ownerKey), 404, 'env-var-not-found');
    expect((await set({ name, value: 'theirs' }, other.ownerKey)).status).toBe(200);
    expect(await openedValue(name)).toBe('ours');
    expect((await remove(name, other.ownerKey)).body).toEqual({ success: true });
    expect(await openedValue(name)).toBe('ours');
    expect(await listed(name)).toBeDefined();
  });
});

describe('deleteEnvVar', () => {
  it('deletes the secret and destroys its value', async () => {
    const name = newName();
    await set({ name, value: 'x' });
    expect(await remove(name)).toMatchObject({ status: 200, body: { success: true } });
    expect([await listed(name), await openedValue(name), await held(name)]).toEqual([undefined, undefined, []]);
  });

  it('answers 404 to an unknown name, and 400 to an invalid one', async () => {
    await refused(remove('NEVER_SET'), 404, 'env-var-not-found');
    const name = newName();
    await set({ name, value: 'x' });
    await remove(name);
    await refused(remove(name), 404, 'env-var-not-found');
    await refused(remove('no name'), 400, 'invalid-input');
  });

  it('leaves the name free, and nothing of the former secret', async () => {
    const name = newName();
    await set({ name, value: 'first', description: 'Old.', allowedHosts: ['a.example.com'] });
    await remove(name);
    expect((await set({ name, value: 'second' })).body).toMatchObject({ description: '', allowedHosts: [] });
    expect(await openedValue(name)).toBe('second');
  });

  describe('while a function with Full data access reads the secret', () => {
    interface Held {
      readonly capabilities?: readonly string[];
      readonly secrets?: readonly object[];
      readonly draft?: { readonly code: string };
    }

    /** A function with powers and secrets that a person approved, and a draft if given. */
    async function holder(code: string, { capabilities = [], secrets = [], draft }: Held) {
      const fn = await done(app, 'automations/createFunction', { name: `holder ${made++}`, code });
      const { id } = fn;
      const now = () => done(app, 'automations/getFunction', { id });
      if (secrets.length > 0) await approved(app, await app.call('automations/setFunctionSecrets', { id, secrets }));
      const { version: seenVersion } = await now();
      if (capabilities.length > 0) {
        await approved(app, await app.call('automations/setFunctionCapabilities', { id, capabilities, seenVersion }));
      }
      const { updatedAt: seenUpdatedAt } = await now();
      if (draft) await done(app, 'automations/updateFunction', { id, seenUpdatedAt, ...draft });
      return fn;
    }

    it.each([
      ['by its list', 'return 1', (name: string) => ({ secrets: [{ name, hosts: [] }] })],
      ['by its live code', 'return ctx.secrets.ref("NAME")', () => ({})],
      ['by its draft', 'return 1', (name: string) => ({ draft: { code: `return '${name}'` } })],
    ])('%s, is refused to everybody, and the refusal names the function', async (_, code, more) => {
      const name = newName();
      await set({ name, value: 'kept' });
      const fn = await holder(code.replace('NAME', name), { capabilities: ['service'], ...more(name) });
      const { detail, functions } = await refused(remove(name), 409, 'env-var-in-use');
      expect(detail).toContain(`'${fn.name}'`);
      expect(functions).toEqual([{ id: fn.id, name: fn.name }]);
      expect(await listed(name)).toBeDefined();
      expect(await openedValue(name)).toBe('kept');
      await done(app, 'automations/deleteFunction', { id: fn.id });
      expect((await remove(name)).status).toBe(200);
    });

    it('is not refused for a function without Full data access', async () => {
      const name = newName();
      await set({ name, value: 'x' });
      await holder(`return '${name}'`, { capabilities: ['env', 'email'], secrets: [{ name, hosts: [] }] });
      expect((await remove(name)).status).toBe(200);
    });
  });
});

describe('SecretValues', () => {
  it('opens the existing ones of the named secrets, each once', async () => {
    const [a, b] = [newName(), newName()];
    await set({ name: a, value: 'of a' });
    await set({ name: b, value: 'of b', allowedHosts: ['*.example.com'] });
    const found = await opened(a, b, a, 'NEVER_SET', 'no name');
    expect([...found.values()]).toEqual([
      { name: a, value: 'of a', allowedHosts: [] },
      { name: b, value: 'of b', allowedHosts: ['*.example.com'] },
    ]);
  });
});

describe('SecretValues, while the secret changes between the log and the vault,', () => {
  /** Opens a secret, and runs `work` between the read of its event and the read of the vault. */
  async function openedAfter(name: string, work: () => Promise<unknown>) {
    const vault = app.app.get(Vault, { strict: false });
    const open = vault.open.bind(vault);
    jest.spyOn(vault, 'open').mockImplementationOnce(async (entry) => {
      await work();
      return open(entry);
    });
    return (await opened(name)).get(name);
  }

  it('returns the new secret after a replacement, with its hosts', async () => {
    const name = newName();
    await set({ name, value: 'first', allowedHosts: ['a.example.com'] });
    const replaced = await openedAfter(name, () =>
      set({ name, value: 'second', overwrite: true, allowedHosts: ['b.example.com'] }),
    );
    expect(replaced).toEqual({ name, value: 'second', allowedHosts: ['b.example.com'] });
  });

  it('returns nothing after a deletion', async () => {
    const name = newName();
    await set({ name, value: 'first' });
    expect(await openedAfter(name, () => remove(name))).toBeUndefined();
  });
});

describe('the audit', () => {
  it('shows who set, replaced and deleted a secret and what changed, by its name', async () => {
    const name = newName();
    await set({ name, value: 'canary-1', allowedHosts: ['a.example.com'] });
    await set({ name, value: 'canary-2', overwrite: true, allowedHosts: ['a.example.com', 'b.example.com'] });
    await remove(name);
    const editor = await person(app, 'editor');
    const { events } = await done(app, 'audit/getHistory', { kind: 'envVar', id: name }, editor.key);
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['EnvVarSet', 'EnvVarSet', 'EnvVarDeleted']);
    expect(events[1].changes).toContainEqual({ path: 'allowedHosts[1]', from: null, to: 'b.example.com' });
    expect(events[1].actor).toMatchObject({ kind: 'person', name: 'Owner' });
    expect(JSON.stringify(events)).not.toContain('canary');
  });
});
