import { beforeAll, describe, expect, it } from '@jest/globals';
import { type RefusalCode } from '../../../src/http/http.refusals.js';
import type { Reply, TestApp } from '../../support/app.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

/** The operations and example inputs of a kind of record. Operations are named `area/operation`. */
export interface RecordKind {
  /** The kind's name in the audit. */
  readonly kind: string;
  readonly missing: RefusalCode;
  readonly create: string;
  readonly change: string;
  readonly remove: string;
  readonly list: {
    readonly operation: string;
    input?(): object;
    /** The member of the answer that is the list. If omitted, the answer itself. */
    readonly in?: string;
  };
  /** Input for one more record. Each call returns a different one. */
  valid(): object;
  /** Inputs of consecutive changes, and other fields that the list shows differently after each. */
  readonly changes: readonly (readonly [sent: () => object, also?: object])[];
  /** Members of an input that `create` refuses, each with the path in the error. */
  readonly invalid: readonly (readonly [sent: object, path: string])[];
  /** A member that only the answer of `create` has. */
  readonly onlyAnswered?: string;
  readonly unique?: { readonly field: string; readonly taken: RefusalCode };
}

/** Checks over HTTP what every plain record promises to callers. */
export function plainRecordContract(
  app: () => TestApp,
  { kind, missing, create, change, remove, list, valid, changes, invalid, onlyAnswered, unique }: RecordKind,
): void {
  const call = (operation: string, body: object, key?: string, headers?: Record<string, string>) =>
    app().call(operation, body, key, headers);
  const made = async (more: object = {}): Promise<Shown> => done(app(), create, { ...valid(), ...more });
  const listed = async (): Promise<readonly Shown[]> => {
    const answer = await done(app(), list.operation, list.input?.() ?? {});
    return list.in === undefined ? answer : answer[list.in];
  };
  const shown = async (id: string) => (await listed()).find((one) => one.id === id);
  const history = async (id: string) => (await done(app(), 'audit/getHistory', { kind, id })).events;
  const firstChange = () => changes[0]?.[0]() ?? {};
  const code = ({ status, body }: Reply) => [status, body.code];
  const refusedAll = async (id: string, key: string, refusal: readonly unknown[]) => {
    const replies = [
      await call(create, valid(), key),
      await call(change, { id, ...firstChange() }, key),
      await call(remove, { id }, key),
    ];
    expect(replies.map(code)).toEqual([refusal, refusal, refusal]);
  };

  describe(`every ${kind}`, () => {
    let foreignKey = '';
    beforeAll(async () => {
      foreignKey = (await otherWorkspace(app())).ownerKey;
    });

    it('is listed at once as it was answered', async () => {
      const record = await made();
      const also = Object.entries(record).filter(([name]) => name !== onlyAnswered);
      expect(await shown(record.id)).toMatchObject(Object.fromEntries(also));
    });

    it('has an id of its own', async () => {
      expect((await made()).id).not.toBe((await made()).id);
    });

    it.each(changes)('changes in the fields sent and in nothing else (%#)', async (sent, also = {}) => {
      const { id } = await made();
      const before = await shown(id);
      const wanted = sent();
      const answer = await done(app(), change, { id, ...wanted });
      const after = await shown(id);
      expect(after).toEqual({ ...before, ...wanted, ...also });
      if (answer.id === id) expect(alsoIn(after, answer)).toEqual(alsoIn(answer, after));
    });

    it.each(changes)('records an unchanged state only once (%#)', async (sent) => {
      const { id } = await made();
      const wanted = sent();
      await done(app(), change, { id, ...wanted });
      const events = await history(id);
      const once = await shown(id);
      await done(app(), change, { id, ...wanted });
      expect(await history(id)).toEqual(events);
      expect(await shown(id)).toEqual(once);
    });

    it.each(invalid)('is not created with %j, and the error names the wrong field', async (sent, path) => {
      const before = await listed();
      const { status, body } = await call(create, { ...valid(), ...sent });
      expect([status, body.code, body.errors?.[0]?.path]).toEqual([400, 'invalid-input', path]);
      expect(await listed()).toEqual(before);
    });

    it('is neither created nor changed with an unknown field', async () => {
      const { id } = await made();
      for (const reply of [await call(create, { ...valid(), nonsense: 1 }), await call(change, { id, nonsense: 1 })]) {
        expect(code(reply)).toEqual([400, 'invalid-input']);
        expect(reply.body.errors.map(({ path }: { path: string }) => path)).toContain('nonsense');
      }
    });

    it('that never existed and one of another workspace are refused with the same message', async () => {
      const { id } = await made();
      const before = await shown(id);
      for (const [operation, sent] of [
        [change, firstChange()],
        [remove, {}],
      ] as const) {
        const unknown = await call(operation, { id: `${id}x`, ...sent });
        const foreign = await call(operation, { id, ...sent }, foreignKey);
        expect(code(unknown)).toEqual([404, missing]);
        expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
      }
      expect(await shown(id)).toEqual(before);
    });

    it('is listed in its own workspace only', async () => {
      const { id } = await made();
      const { body } = await call(list.operation, list.input?.() ?? {}, foreignKey);
      expect(JSON.stringify(body)).not.toContain(id);
    });

    it('that was removed cannot be listed, changed or removed again', async () => {
      const { id } = await made();
      expect(await done(app(), remove, { id })).toMatchObject({ success: true });
      expect(await shown(id)).toBeUndefined();
      expect(code(await call(change, { id, ...firstChange() }))).toEqual([404, missing]);
      expect(code(await call(remove, { id }))).toEqual([404, missing]);
    });

    it('is created once by a repeated call with its Idempotency-Key', async () => {
      const [input, before] = [valid(), await listed()];
      const headers = { 'idempotency-key': `${create} again` };
      const first = await call(create, input, undefined, headers);
      const again = await call(create, input, undefined, headers);
      expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
      expect(await listed()).toHaveLength(before.length + 1);
    });

    it('is removed once by a repeated call with its Idempotency-Key', async () => {
      const { id } = await made();
      const headers = { 'idempotency-key': `${remove} again` };
      const first = await call(remove, { id }, undefined, headers);
      expect((await call(remove, { id }, undefined, headers)).body).toEqual(first.body);
      expect(await history(id)).toHaveLength(2);
    });

    it('has a history of who did what by which operation, even after its end', async () => {
      const { id } = await made();
      await done(app(), change, { id, ...firstChange() });
      await done(app(), remove, { id });
      const events: readonly { command: string; actor: { kind: string }; resource: object }[] = await history(id);
      expect(events.map(({ command }) => command)).toEqual([create, change, remove]);
      expect(events.map(({ actor }) => actor.kind)).toEqual(['person', 'person', 'person']);
      expect(events[0]?.resource).toMatchObject({ kind, id });
    });

    it('cannot be changed by a Viewer or with a read-only key', async () => {
      const { id } = await made();
      const before = await shown(id);
      await refusedAll(id, (await person(app(), 'viewer')).key, [403, 'viewer-refused']);
      await refusedAll(id, await keyOf(app(), { kind: 'person', readOnly: true }), [403, 'read-only-key']);
      expect(await shown(id)).toEqual(before);
    });

    it('can be created but not removed with a key that never deletes', async () => {
      const key = await keyOf(app(), { kind: 'person', neverDeletes: true });
      const { id } = await done(app(), create, valid(), key);
      expect(code(await call(remove, { id }, key))).toEqual([403, 'key-never-deletes']);
      expect(await shown(id)).toBeDefined();
    });

    if (unique !== undefined) {
      const { field, taken } = unique;

      it(`has a ${field} that is unique, even among many simultaneous calls, until it is removed`, async () => {
        const wanted = { [field]: (valid() as Record<string, unknown>)[field] };
        const replies = await Promise.all(Array.from({ length: 6 }, () => call(create, { ...valid(), ...wanted })));
        const winners = replies.filter(({ status }) => status === 200);
        expect(winners).toHaveLength(1);
        expect(new Set(replies.filter(({ status }) => status !== 200).map((one) => code(one).join()))).toEqual(
          new Set([`409,${taken}`]),
        );
        await done(app(), remove, { id: winners[0]?.body.id });
        await made(wanted);
      });
    }
  });
}

/** The fields of `view` that `other` has too. */
function alsoIn(other: object | undefined, view: object | undefined): object {
  return Object.fromEntries(Object.entries(view ?? {}).filter(([name]) => Object.hasOwn(other ?? {}, name)));
}
