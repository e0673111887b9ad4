import { describe, expect, it } from '@jest/globals';
import '../../src/app.module.js';
import { traitsFor, verdictOn } from '../../src/engine/authorisation/authority.js';
import { allOperations } from '../../src/engine/operation/operation.js';
import { authorityPage } from '../../src/http/documents/authority-page.js';

/** Every operation with every combination of rights that its caller can have. */
const all = allOperations().flatMap((operation) =>
  traitsFor(operation).map((standing) => ({ operation, standing, verdict: verdictOn(operation, standing) })),
);
const said = ({ operation, standing, verdict }: (typeof all)[number]) => [operation.name, standing, verdict];

describe('who may call what', () => {
  it('is frozen: a change of anybody’s rights shows in the difference of the snapshot', () => {
    expect(authorityPage()).toMatchSnapshot();
  });

  it('is told once for all operations that demand the same', () => {
    const headings = [...authorityPage().matchAll(/^## .*$/gm)].map(([heading]) => heading);
    expect(new Set(headings).size).toBe(headings.length);
  });

  it('leaves a key that only reads no command, and a key that never deletes nothing that always takes away', () => {
    const wrong = all.filter(
      ({ operation, standing, verdict }) =>
        verdict === 'yes' &&
        ((standing.readOnly && operation.effect === 'command') ||
          (standing.neverDeletes && operation.takesAway === true)),
    );
    expect(wrong.map(said)).toEqual([]);
  });

  it('says of a key that only reads and never deletes what the two say of it one by one', () => {
    const both = all.filter(({ standing }) => standing.readOnly && standing.neverDeletes);
    const wrong = both.filter(({ operation, standing, verdict }) => {
      const reading = verdictOn(operation, { ...standing, neverDeletes: false });
      const expected = reading === 'yes' ? verdictOn(operation, { ...standing, readOnly: false }) : reading;
      return verdict !== expected;
    });
    expect(both.length).toBeGreaterThan(1_000);
    expect(wrong.map(said)).toEqual([]);
  });

  it('gives a higher role no less than a lower one', () => {
    const above = { viewer: 'editor', editor: 'admin', admin: 'owner', owner: 'owner' } as const;
    const wrong = all.filter(
      ({ operation, standing, verdict }) =>
        verdict === 'yes' && verdictOn(operation, { ...standing, role: above[standing.role] }) !== 'yes',
    );
    expect(wrong.map(said)).toEqual([]);
  });
});
