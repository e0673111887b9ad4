import { describe, expect, it } from '@jest/globals';
import type { Document } from '../../kernel/record/projection.js';
import type { AggregateLoader } from '../commands/aggregate-loader.js';
import type { CommandRunner } from '../commands/command-runner.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { Reads } from '../scopes/reads.js';
import { type Dependent, Dependents, type OwnerRules } from './dependents.js';

type Kind = Dependent['kind'];
const leaves = { category: 'leaf', collection: { name: 'leaves' }, begin: () => undefined } as unknown as Kind;
const branches = { category: 'branch' } as unknown as Kind;
const rules: OwnerRules = {
  kind: 'target',
  recorded: [branches],
  together: 2,
  step: (category, first) => `${category}/${first}`,
};
const callFor = (step: string) => ({ commandId: step }) as OperationContext;
const owner = { kind: 'target', category: 'branch', workspaceId: 'ws', id: 'b', deletedAt: 7 } as const;

function given(count: number) {
  const commands: (readonly [step: string, ...ids: string[]])[] = [];
  const ids = Array.from({ length: count }, (_, at) => `leaf_${String(at).padStart(4, '0')}`);
  const asked: unknown[] = [];
  const reads = {
    find: async (workspaceId: string, _collection: string, query: { limit: number; after?: readonly string[] }) => {
      asked.push(query);
      const [after = ''] = query.after ?? [];
      const left = ids.filter((id) => id > after).slice(0, query.limit);
      return left.map((id): Document => ({ id, workspaceId }));
    },
  } as unknown as Reads;
  const runner = {
    changeAll: async ({ commandId }: OperationContext, changes: readonly { readonly id: string }[]) =>
      void commands.push([commandId, ...changes.map(({ id }) => id)]),
  } as unknown as CommandRunner;
  const loader = { load: async () => ({ state: undefined, revision: -1 }) } as unknown as AggregateLoader;
  const dependents = new Dependents(runner, reads, loader);
  dependents.register({
    kind: leaves,
    owner: 'target',
    listed: { collection: 'leaves', fields: ['branch'] },
    made: ['LeafGrown'],
    endEvents: () => [],
  });
  return { dependents, commands, asked, ids };
}

describe('the dependents of a deleted owner', () => {
  it('are deleted in commands of limited size, each named by its first', async () => {
    const { dependents, commands } = given(5);
    await dependents.endAll(rules, owner, callFor);
    expect(commands.toSorted()).toEqual([
      ['leaf/leaf_0000', 'leaf_0000', 'leaf_0001'],
      ['leaf/leaf_0002', 'leaf_0002', 'leaf_0003'],
      ['leaf/leaf_0004', 'leaf_0004'],
    ]);
  });

  it('are listed page by page, even if deleted ones are still listed', async () => {
    const { dependents, commands, asked, ids } = given(450);
    await dependents.endAll(rules, owner, callFor);
    expect(asked).toHaveLength(3);
    expect(commands.flatMap(([, ...ended]) => ended).toSorted()).toEqual(ids);
  });

  it('are nothing if none is listed', async () => {
    const { dependents, commands } = given(0);
    await dependents.endAll(rules, owner, callFor);
    expect(commands).toEqual([]);
  });
});

it('are declared once for a record with an owner', () => {
  const { dependents } = given(0);
  const [entered] = dependents.ownedBy('target');
  expect(() => entered && dependents.register(entered)).toThrow(
    'The end of the record leaf with its target is declared twice.',
  );
});

it('are checked against the kinds of records', () => {
  const { dependents } = given(0);
  expect(() => dependents.check([{ category: 'leaf', of: { target: 'branch' } }])).not.toThrow();
  expect(() => dependents.check([{ category: 'twig', of: { target: 'branch' } }])).toThrow('The record twig');
});
