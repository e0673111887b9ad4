// verifyBuild of a project with hundreds of pages: cold, after a start of the service, and warm. BENCH_AGAINST=<built
// checkout> measures that checkout in turn with this one, on the same data.
import { join } from 'node:path';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { ms, table, whole } from '../support/table.mjs';

const pages = Number(process.env['BENCH_PAGES'] ?? scaled(500, 3));
const sizes = scaled([2_000, 10_000, 50_000], [2_000]);
const rounds = scaled(5);

export async function verifyBuild() {
  const other = process.env['BENCH_AGAINST'];
  const mains = { here: undefined, ...(other ? { there: join(other, 'dist/src/main.js') } : {}) };
  const names = Object.keys(mains);
  const rows = [[`${pages} pages, p50 of ${rounds}, ms`, ...names.flatMap((name) => [`cold ${name}`, `warm ${name}`])]];
  for (const size of sizes) {
    const dataDir = scratch();
    try {
      const projectId = await made(dataDir, size);
      const took = Object.fromEntries(names.map((name) => [name, { cold: [], warm: [] }]));
      for (let round = 0; round < rounds; round += 1) {
        for (const name of names) await measured({ dataDir, main: mains[name], projectId, into: took[name] });
      }
      rows.push([
        `${whole(size / 1_000)} KB each`,
        ...names.flatMap((name) => [p50(took[name].cold), p50(took[name].warm)]),
      ]);
    } finally {
      discard(dataDir);
    }
  }
  table('verifyBuild', rows);
}

async function made(dataDir, size) {
  const service = await startService({ dataDir });
  const { id } = await service.call('site/createProject', { name: 'Shop' });
  await service.call('site/createComponent', { projectId: id, name: 'Card', content: card });
  for (let at = 0; at < pages; at += 10) {
    const some = Array.from({ length: Math.min(10, pages - at) }, (_, n) => at + n);
    await Promise.all(
      some.map((n) =>
        service.call('site/createPage', { projectId: id, name: `Page ${n}`, path: `/p${n}`, content: pageOf(n, size) }),
      ),
    );
  }
  await service.stop();
  return id;
}

async function measured({ dataDir, main, projectId, into }) {
  const service = await startService({ dataDir, main });
  try {
    await service.call('site/listPages', { projectId });
    for (const kind of ['cold', 'warm']) {
      const began = performance.now();
      const { ok, warnings } = await service.call('site/verifyBuild', { projectId });
      into[kind].push(performance.now() - began);
      if (!ok || warnings.length > 0)
        throw new Error(`The pages are good, but: ${JSON.stringify(warnings.slice(0, 3))}`);
    }
  } finally {
    await service.stop();
  }
}

const p50 = (values) => ms(values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]);

const card = 'export default function Card({ name }: { name: string }) { return <b>{name}</b>; }';

/** Every page is different. */
function pageOf(n, size) {
  let body = '';
  for (let k = 0; body.length < size - 300; k += 1) body += sectionOf(n, k);
  return `import { useEffect, useMemo, useState } from 'react';
import Card from '@/components/Card';
${body}
export default function Page() { return <main><Section0 title="${n}" items={[]} /></main>; }
`;
}

const sectionOf = (n, k) => `
interface Item${k} { id: string; name: string; price: number }
function Section${k}({ title, items }: { title: string; items: readonly Item${k}[] }) {
  const [open, setOpen] = useState<boolean>(false);
  const total = useMemo(() => items.reduce((sum, { price }) => sum + price, 0), [items]);
  useEffect(() => { document.title = \`Page ${n}: \${title}\`; }, [title]);
  return (
    <section className="mx-auto max-w-4xl p-8" onClick={() => setOpen(!open)}>
      <h2 className="text-2xl font-bold">{title} ({total.toFixed(2)})</h2>
      {open && items.length > 0 ? (
        <ul>
          {items.map((item) => (
            <li key={item.id} className={item.price > ${k} ? 'dear' : 'cheap'}><Card {...item} /> {item.name}</li>
          ))}
        </ul>
      ) : (
        <p>Nothing here yet. Come back tomorrow, or <a href="/contact">write to us</a>.</p>
      )}
    </section>
  );
}
`;
