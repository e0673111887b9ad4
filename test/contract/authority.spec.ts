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

  it('has one section for all operations with the same requirements', () => {
    const headings = [...authorityPage().matchAll(/^## .*$/gm)].map(([heading]) => heading);
    expect(new Set(headings).size).toBe(headings.length);
  });

  it('refuses every command to a read-only key, and everything that always deletes to a key that never deletes', () => {
    const wrong = all.filter(
      ({ operation, standing, verdict }) =>
        verdict === 'yes' &&
        ((standing.readOnly && operation.effect === 'command') ||
          (standing.neverDeletes && operation.takesAway === true)),
    );
    expect(wrong.map(said)).toEqual([]);
  });

  it('combines the two rules for a key that is read-only and never deletes', () => {
    const both = all.filter(({ standing }) => standing.readOnly && standing.neverDeletes);
    const wrong = both.filter(({ operation, standing, verdict }) => {
      const reading = verdictOn(operation, { ...standing, neverDeletes: false });
      const expected = reading === 'yes' ? verdictOn(operation, { ...standing, readOnly: false }) : reading;
      return verdict !== expected;
    });
    expect(both.length).toBeGreaterThan(1_000);
    expect(wrong.map(said)).toEqual([]);
  });

  it('allows a higher role everything that a lower one may call', () => {
    const above = { viewer: 'editor', editor: 'admin', admin: 'owner', owner: 'owner' } as const;
    const wrong = all.filter(
      ({ operation, standing, verdict }) =>
        verdict === 'yes' && verdictOn(operation, { ...standing, role: above[standing.role] }) !== 'yes',
    );
    expect(wrong.map(said)).toEqual([]);
  });
});
