// Work on a site: pages of 50 KB are created and edited, and a project of 1,000 pages is read and checked.
import { figures } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startService } from '../support/servers.mjs';
import { ms, table, whole } from '../support/table.mjs';

const kilobyte = 1_024;
const line = (number) =>
  `      <p className="mt-4">Line ${number} of a page that says a little more than nothing.</p>\n`;
const contentOf = (mark) => {
  const lines = Array.from({ length: 50 * kilobyte }, (_, at) => line(at));
  let content = `export default function Page() {\n  return (\n    <main>\n      <h1>${mark}</h1>\n`;
  for (const one of lines) {
    if (content.length > 50 * kilobyte) break;
    content += one;
  }
  return `${content}    </main>\n  );\n}\n`;
};

export async function pages({ count = scaled(1_000, 5), seconds = scaled(5, 0.05) } = {}) {
  const service = await startService();
  const rows = [['', 'calls/s', 'p50', 'p99']];
  const add = (name, { perSecond, p50, p99 }) => rows.push([name, whole(perSecond), ms(p50), ms(p99)]);
  const site = (operation, body) => service.call(`site/${operation}`, body);
  const content = contentOf('mark 0');
  let made = 0;
  const create = (projectId) => site('createPage', { projectId, name: 'Page', path: `/page-${made++}`, content });
  try {
    for (const connections of [1, 32]) {
      const projectId = (await site('createProject', { name: 'Created' })).id;
      add(`createPage of 50 KB, ${connections} at once`, await loop(connections, seconds, () => create(projectId)));
    }
    for (const connections of [1, 32]) {
      const projectId = (await site('createProject', { name: 'Edited' })).id;
      const edited = [];
      for (let at = 0; at < connections; at += 1) edited.push({ id: (await create(projectId)).id, mark: 0 });
      const edit = (at) => {
        const page = edited[at];
        const oldString = `mark ${page.mark++}<`;
        return site('editPage', { id: page.id, oldString, newString: `mark ${page.mark}<` });
      };
      add(`editPage of 50 KB, ${connections} pages at once`, await loop(connections, seconds, edit));
    }
    const { id } = await site('createProject', { name: 'Large' });
    for (let at = 1; at < count; at += 1) await create(id);
    const reads = { getProject: { id }, listPages: { projectId: id } };
    for (const [name, body] of Object.entries(reads)) {
      for (const connections of [1, 32]) {
        const times = await loop(connections, seconds, () => site(name, body));
        add(`${name} with ${count} pages, ${connections} at once`, times);
      }
    }
    const checked = await loop(1, seconds, () => site('verifyBuild', { projectId: id }));
    add(`verifyBuild of ${count} pages of 50 KB`, checked);
  } finally {
    await service.stop();
  }
  table('pages of sites', rows);
}

/** Runs this number of callers, each with one call after the other and at least one. */
async function loop(callers, seconds, call) {
  const times = [];
  const began = performance.now();
  const until = began + seconds * 1_000;
  const caller = async (at) => {
    do {
      const start = performance.now();
      await call(at);
      times.push(performance.now() - start);
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: callers }, (_, at) => caller(at)));
  return figures(times, (performance.now() - began) / 1_000);
}
