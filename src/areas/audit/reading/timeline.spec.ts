import { describe, expect, it } from '@jest/globals';
import type { Reads } from '../../../engine/scopes/reads.js';
import type { Query } from '../../../ports/read-store.port.js';
import { timeline } from './timeline.js';

const wish = { kinds: undefined, types: undefined, resourceId: undefined, actorId: undefined, before: undefined };

async function asked(stretches: readonly object[], from: string, to: string): Promise<readonly Query['where'][]> {
  const wheres: Query['where'][] = [];
  const find = async (_workspace: string, collection: string, query: Query) => {
    if (collection === 'auditStretches') return stretches;
    wheres.push(query.where);
    return [];
  };
  await timeline({ find } as unknown as Reads, 'ws_1', { ...wish, from, to, limit: 1 });
  return wheres;
}

describe('the timeline between two times', () => {
  const at = { gte: '2026-01-01', lt: '2026-01-02' };

  it('is searched for in the stretches of the log that may contain it', async () => {
    const found = await asked([{ number: 2 }], at.gte, at.lt);
    expect(found).toEqual([{ listed: true, at, position: { gte: 2 * 4_096, lt: 3 * 4_096 } }]);
  });

  it('is searched for everywhere in an older read model without stretches', async () => {
    expect(await asked([], at.gte, at.lt)).toEqual([{ listed: true, at, position: { gte: 0 } }]);
  });
});
