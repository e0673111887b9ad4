import { describe, expect, it } from '@jest/globals';
import type { Reads } from '../../../engine/scopes/reads.js';
import { UndoneEvents } from './undone-events.js';

const resource = { kind: 'function', id: 'fn_1' };
const actor = { kind: 'person', id: 'mem_1', name: 'Ada', email: 'ada@example.com' };

let positions = 0;
const undo = (id: string, causationId: string, more: object = {}) => {
  const at = new Date(Date.UTC(2026) + positions * 1_000).toISOString();
  const about = { kind: 'function', resourceId: 'fn_1', command: 'audit/undoChange', correlationId: id };
  return { id, causationId, position: positions++, at, actor, ...about, ...more };
};

interface Asked {
  readonly where: {
    readonly causationId: { readonly in: readonly string[] };
    readonly position: { readonly gt: number };
  };
  readonly limit: number;
}

const over = (entries: readonly ReturnType<typeof undo>[]) =>
  new UndoneEvents({
    find: async (_: string, __: string, { where, limit }: Asked) =>
      entries
        .filter(
          ({ causationId, position }) => where.causationId.in.includes(causationId) && position > where.position.gt,
        )
        .slice(0, limit),
  } as unknown as Reads);

const shown = (entries: readonly ReturnType<typeof undo>[]) => over(entries).shown('ws_1', [{ id: 'a', resource }]);

describe('an event that was undone', () => {
  it("names the undoing event and who asked, without the actor's address", async () => {
    const one = undo('b', 'a');
    const by = { kind: 'person', id: 'mem_1', name: 'Ada' };
    expect(await shown([one])).toEqual([{ id: 'a', resource, undoneBy: { position: one.position, at: one.at, by } }]);
  });

  it('does not after the undo was undone, and does again if that is undone too', async () => {
    const [one, two, three] = [undo('b', 'a'), undo('c', 'b'), undo('d', 'c')];
    expect(await shown([one, two])).toEqual([{ id: 'a', resource }]);
    expect(await shown([one, two, three])).toMatchObject([{ undoneBy: { position: one.position } }]);
  });

  it('names the later undo if it was undone twice', async () => {
    const [one, two, again] = [undo('b', 'a'), undo('c', 'b'), undo('d', 'a')];
    expect(await shown([one, two, again])).toMatchObject([{ undoneBy: { position: again.position } }]);
  });

  it('names the first event of an undo that recorded several, and none of other records', async () => {
    const one = undo('b', 'a');
    const beside = undo('c', 'a', { correlationId: one.correlationId });
    const other = undo('d', 'a', { resourceId: 'fn_2' });
    expect(await shown([one, beside, other])).toMatchObject([{ undoneBy: { position: one.position } }]);
    expect(await shown([other])).toEqual([{ id: 'a', resource }]);
  });

  it('names the events of an approved card, if the undo asked for it and recorded nothing itself', async () => {
    const card = undo('b', 'a', { kind: 'pendingChange', resourceId: 'change_1' });
    const approved = { command: 'approvals/approvePendingChange', correlationId: card.correlationId };
    const applied = undo('c', 'a', approved);
    expect(await shown([card])).toEqual([{ id: 'a', resource }]);
    expect(await shown([card, applied])).toMatchObject([{ undoneBy: { position: applied.position } }]);
    expect(await shown([applied])).toEqual([{ id: 'a', resource }]);
    const back = undo('d', 'a');
    const lacking = undo('e', 'a', { ...approved, correlationId: back.correlationId });
    expect(await shown([back, lacking])).toMatchObject([{ undoneBy: { position: back.position } }]);
  });

  it('does so however many events undos have recorded', async () => {
    const first = undo('b', 'a');
    const beside = Array.from({ length: 2_500 }, (_, n) =>
      undo(`beside_${n}`, 'a', { correlationId: first.correlationId, resourceId: `fn_${n + 2}` }),
    );
    const undos = Array.from({ length: 1_200 }, (_, n) => undo(`again_${n}`, 'a'));
    const undone = undos.slice(0, -1).map(({ id }) => undo(`back_${id}`, id));
    const all = [first, ...beside, ...undos, ...undone];
    expect(await shown(all)).toMatchObject([{ undoneBy: { position: undos.at(-1)?.position } }]);
    expect(await shown([...all, undo('last', `again_1199`), undo('c', 'b')])).toEqual([{ id: 'a', resource }]);
  });
});
