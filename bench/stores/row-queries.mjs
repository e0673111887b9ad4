// Queries of rows in the embedded read store, in process, compared with the same statement on a bare SQLite file of the
// same documents with a suitable index.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { scaled } from '../support/scale.mjs';
import { ms, table, whole } from '../support/table.mjs';

const store = '../../dist/src/adapters/read-store/embedded/embedded-read-store.adapter.js';
const build = { projection: 'rows', generation: 'v1' };
const collections = {
  rows: { indexes: [{ fields: ['workspaceId', 'tableId', 'createdAt'] }], searchable: ['values'] },
};
const batch = 5_000;
const cities = Array.from({ length: 50 }, (_, at) => `City ${at}`);

/** A filter on a value of the indexed field finds one in a thousand documents. */
function documentAt(at, rows) {
  const mixed = (at * 7_919) % rows;
  return {
    id: `row_${String(mixed).padStart(9, '0')}`,
    workspaceId: 'w1',
    tableId: 't1',
    createdAt: new Date(Date.UTC(2024, 0, 1) + at * 40_000).toISOString(),
    updatedAt: new Date(Date.UTC(2024, 0, 1) + at * 40_000).toISOString(),
    createdBy: null,
    values: {
      fld_code: `C-${Math.floor(mixed / 20)}`,
      fld_price: (mixed * 37) % 100_000,
      fld_city: cities[mixed % 50],
      fld_plain: `P-${Math.floor(mixed / 20)}`,
      fld_note: `Note ${mixed} about something that a customer wrote down, with some words more in it.`,
      fld_open: mixed % 3 === 0,
    },
  };
}

async function fill(opened, bare, rows) {
  const indexes = ['fld_code', 'fld_price', 'fld_city'].map((field) => ({
    kind: 'index',
    collection: 'rows',
    index: { where: { tableId: 't1' }, field: `values.${field}` },
  }));
  await opened.prepare(build, collections);
  await opened.commit(build, -1, 0, indexes);
  bare.exec('CREATE TABLE rows (id TEXT PRIMARY KEY, doc TEXT NOT NULL)');
  const insert = bare.prepare('INSERT INTO rows VALUES (?, ?)');
  let spent = 0;
  for (let from = 0; from < rows; from += batch) {
    const writes = Array.from({ length: Math.min(batch, rows - from) }, (_, at) => ({
      kind: 'put',
      collection: 'rows',
      document: documentAt(from + at, rows),
      position: from + at,
    }));
    const began = performance.now();
    await opened.commit(build, from, from + batch, writes);
    spent += performance.now() - began;
    bare.exec('BEGIN');
    for (const { document } of writes) insert.run(document.id, JSON.stringify(document));
    bare.exec('COMMIT');
  }
  await opened.activate(build, collections);
  for (const field of ['fld_code', 'fld_price', 'fld_city']) {
    bare.exec(`CREATE INDEX ${field} ON rows (json_extract(doc, '$.values.${field}'), id)`);
  }
  bare.exec("CREATE INDEX created ON rows (json_extract(doc, '$.createdAt'), id)");
  return spent;
}

const where = { tableId: 't1', workspaceId: 'w1' };
const comparing = (field, kind, operator, value) => ({ field: `values.${field}`, kind, operator, value });
const list =
  (filter, sort = [['createdAt', 'asc']]) =>
  (opened, at) =>
    opened.find('rows', { where, filter: filter(at), sort, missing: 'last', limit: 100 });
const value = (field) => `json_extract(doc, '$.values.${field}')`;

const questions = [
  {
    name: 'list, indexed field equals (20 rows)',
    ask: list((at) => comparing('fld_code', 'text', 'eq', `C-${at}`)),
    floor: [
      `SELECT doc FROM rows WHERE ${value('fld_code')} = ? ORDER BY json_extract(doc, '$.createdAt') LIMIT 100`,
      (at) => `C-${at}`,
    ],
  },
  {
    name: 'list, indexed field equals (2 in 100), oldest first',
    ask: list((at) => comparing('fld_city', 'text', 'eq', cities[at % 50])),
    floor: [
      `SELECT doc FROM rows WHERE +${value('fld_city')} = ? ORDER BY json_extract(doc, '$.createdAt'), id LIMIT 100`,
      (at) => cities[at % 50],
    ],
  },
  {
    name: 'list, indexed field at least, ordered by it',
    ask: list((at) => comparing('fld_price', 'number', 'gte', at * 10), [['values.fld_price', 'asc']]),
    floor: [
      `SELECT doc FROM rows WHERE ${value('fld_price')} >= ? ORDER BY ${value('fld_price')}, id LIMIT 100`,
      (at) => at * 10,
    ],
  },
  {
    name: 'list, plain field equals (20 rows)',
    slow: true,
    ask: list((at) => comparing('fld_plain', 'text', 'eq', `P-${at}`)),
    floor: [
      `SELECT doc FROM rows WHERE ${value('fld_plain')} = ? ORDER BY json_extract(doc, '$.createdAt') LIMIT 100`,
      (at) => `P-${at}`,
    ],
  },
  {
    name: 'search in a text field (few rows)',
    slow: true,
    ask: (opened, at) =>
      opened.find('rows', {
        where,
        search: { fields: ['values.fld_note'], text: `nOTE ${10_000 + at} ` },
        sort: [['createdAt', 'asc']],
        missing: 'last',
        limit: 100,
      }),
    floor: [
      `SELECT doc FROM rows WHERE instr(lower(${value('fld_note')}), ?) > 0 LIMIT 100`,
      (at) => `note ${10_000 + at} `,
    ],
  },
  {
    name: 'count all',
    slow: true,
    ask: (opened) => opened.count('rows', where),
    floor: ['SELECT count(*) FROM rows', () => undefined],
  },
  {
    name: 'count, indexed field equals (2 in 100)',
    ask: (opened, at) => opened.count('rows', where, { filter: comparing('fld_city', 'text', 'eq', cities[at % 50]) }),
    floor: [`SELECT count(*) FROM rows WHERE ${value('fld_city')} = ?`, (at) => cities[at % 50]],
  },
  {
    name: 'count, plain field true (1 in 3)',
    slow: true,
    ask: (opened) => opened.count('rows', where, { filter: comparing('fld_open', 'boolean', 'eq', true) }),
    floor: [`SELECT count(*) FROM rows WHERE ${value('fld_open')} = 1`, () => undefined],
  },
  {
    name: 'report: by city, count, sum and average',
    slow: true,
    mostRows: 100_000,
    ask: (opened) =>
      opened.groups('rows', {
        where,
        by: [{ as: 'city', field: 'values.fld_city', kind: 'text' }],
        measures: [
          { as: 'count', op: 'count' },
          { as: 'sum', op: 'sum', field: 'values.fld_price', kind: 'number' },
          { as: 'avg', op: 'avg', field: 'values.fld_price', kind: 'number' },
        ],
      }),
    floor: [
      `SELECT ${value('fld_city')} AS city, count(*), sum(${value('fld_price')}), avg(${value('fld_price')}) FROM rows GROUP BY city`,
      () => undefined,
    ],
  },
  {
    name: 'report: by month, count',
    slow: true,
    mostRows: 100_000,
    ask: (opened) =>
      opened.groups('rows', {
        where,
        by: [{ as: 'month', field: 'createdAt', kind: 'text', unit: 'month' }],
        measures: [{ as: 'count', op: 'count' }],
      }),
    floor: [
      `SELECT substr(json_extract(doc, '$.createdAt'), 1, 7) AS month, count(*) FROM rows GROUP BY month`,
      () => undefined,
    ],
  },
];

const percentile = (times, part) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))];

async function timed(rounds, ask) {
  const times = [];
  for (let at = 0; at < rounds; at += 1) {
    const began = performance.now();
    await ask(at * 7 + 1);
    times.push(performance.now() - began);
  }
  return times;
}

export async function rowQueries({ sizes = scaled([100_000, 1_000_000], [5_000]) } = {}) {
  const { EmbeddedReadStore } = await import(store);
  for (const rows of sizes) {
    const directory = mkdtempSync(join(tmpdir(), 'row-queries-'));
    const opened = new EmbeddedReadStore({ directory });
    const bare = new DatabaseSync(join(directory, 'bare.db'));
    bare.exec(
      'PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000',
    );
    try {
      const spent = await fill(opened, bare, rows);
      const lines = [['', 'p50 ms', 'p99 ms', 'bare p50', 'bare p99']];
      for (const { name, slow, ask, floor, mostRows = rows } of questions) {
        if (rows > mostRows) continue;
        const rounds = scaled(slow ? Math.max(5, Math.round(2_000_000 / rows)) : 300, 2);
        const [sql, bound] = floor;
        const statement = bare.prepare(sql);
        const ours = await timed(rounds, (at) => ask(opened, at));
        const floors = await timed(rounds, (at) => statement.all(...[bound(at)].filter((one) => one !== undefined)));
        lines.push([
          name,
          ...[ours, floors].flatMap((times) => [ms(percentile(times, 0.5)), ms(percentile(times, 0.99))]),
        ]);
      }
      table(`queries of ${whole(rows)} rows (written in ${whole(spent / 1_000)} s, 3 indexed fields)`, lines);
    } finally {
      await opened.close();
      bare.close();
      rmSync(directory, { recursive: true, force: true });
    }
  }
}
