import { changing, type Move, making, NotNow, removing, type Scene } from './move.js';
import type { Thing } from './world.js';

const fields = [
  { name: 'title', type: 'text', indexed: true },
  { name: 'total', type: 'number' },
  { name: 'state', type: 'select', options: ['open', 'done'] },
  { name: 'code', type: 'text', unique: true },
];
const values = ({ draw }: Scene) => ({
  title: draw.word(),
  ...draw.perhaps({ total: draw.below(100), state: 'open' }),
});
const tableOf = (scene: Scene): Thing => scene.one('table');
const row = (scene: Scene): Thing => scene.one('row');
const ofRow = ({ tableId, id }: Thing) => ({ tableId, id });
const rowsRules = (scene: Scene) => ({ [scene.draw.oneOf('read', 'create', 'update')]: { type: 'authenticated' } });

/** Commands about bases, tables, fields and rows. A site's tables are created in the site's base. */
export const baseMoves: readonly Move[] = [
  making('bases/createBase', {
    kind: 'base',
    body: (scene) => {
      scene.fewerThan(6, 'base');
      return { name: scene.name('base'), ...scene.draw.perhaps({ description: scene.draw.word() }) };
    },
  }),
  changing('bases/updateBase', (scene) => ({
    id: scene.id('base'),
    ...scene.draw.some({ name: scene.name('base'), description: scene.draw.oneOf(scene.draw.word(), '') }),
  })),
  {
    ...removing('bases/deleteBase', 'base'),
    body: (scene) => ({ id: scene.one('base', { spared: 1, where: (one) => one['projectId'] === undefined }).id }),
    done: ({ world }, _, { id }) => world.remove('base', id),
  },
  making('bases/createTable', {
    kind: 'table',
    weight: 2,
    body: (scene) => ({
      baseId: scene.id('base'),
      name: scene.draw.chance(0.3) ? 'Orders' : scene.draw.word(),
      fields,
    }),
    facts: (answer, { baseId }) => ({ baseId, name: answer.name, fields: answer.fields }),
  }),
  changing('bases/updateTable', (scene) => ({
    id: scene.id('table'),
    ...scene.draw.some({ name: scene.draw.word(), description: scene.draw.word() }),
  })),
  removing('bases/deleteTable', 'table', undefined, 3),
  changing('bases/setTableAccessRules', (scene) => ({ tableId: scene.id('table'), accessRules: rowsRules(scene) })),
  changing('bases/addField', (scene) => ({
    tableId: scene.id('table'),
    field: { name: scene.draw.word(), type: scene.draw.oneOf('text', 'integer', 'boolean', 'json', 'date') },
  })),
  changing('bases/updateField', async (scene) => ({
    ...(await ownField(scene)),
    ...scene.draw.some({ name: scene.draw.word(), indexed: scene.draw.chance(0.5), accessRules: {} }),
  })),
  changing('bases/removeField', ownField, 0.5),
  making('bases/createRow', {
    kind: 'row',
    weight: 2,
    body: (scene) => ({ tableId: tableOf(scene).id, values: values(scene) }),
    facts: (_, { tableId }) => ({ tableId }),
  }),
  {
    operation: 'bases/createRows',
    body: (scene) => ({ tableId: tableOf(scene).id, rows: [values(scene), values(scene)] }),
    done: ({ world }, answer, { tableId }) => {
      for (const { id } of answer.rows ?? []) world.add('row', { id, tableId });
    },
  },
  changing(
    'bases/updateRow',
    (scene) => ({
      ...ofRow(row(scene)),
      values: scene.draw.some({ title: scene.draw.word(), total: 7, state: 'done' }),
    }),
    2,
  ),
  changing('bases/updateRows', (scene) => {
    const { tableId, id } = row(scene);
    return { tableId, rows: [{ id, values: values(scene) }] };
  }),
  {
    operation: 'bases/upsertRow',
    body: (scene) => ({
      tableId: tableOf(scene).id,
      match: { code: scene.draw.oneOf('A', 'B', 'C') },
      values: values(scene),
    }),
    done: ({ world }, { row: made }, { tableId }) => {
      if (made?.id !== undefined) world.add('row', { id: made.id, tableId });
    },
  },
  { ...changing('bases/deleteRow', (scene) => ofRow(row(scene))) },
  changing('bases/deleteRows', (scene) => {
    const { tableId, id } = row(scene);
    return { tableId, ids: [id] };
  }),
  // Deleted rows remain in the world, because they can be restored.
  changing('bases/undoRow', (scene) => ofRow(row(scene)), 2),
  removing('bases/eraseRow', 'row', (_, thing) => ofRow(thing)),
];

/** Draws a field that other moves do not need. */
async function ownField(scene: Scene): Promise<object> {
  const { id: tableId } = tableOf(scene);
  const table = await scene.ask('bases/getTable', { id: tableId });
  const made = fields.map(({ name }) => name);
  const others: readonly Thing[] = table.fields.filter(({ name }: { readonly name: string }) => !made.includes(name));
  if (others.length === 0) throw new NotNow('field');
  return { tableId, fieldId: scene.draw.from(others).id };
}
