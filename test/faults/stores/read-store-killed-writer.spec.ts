import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import type { Document } from '../../../src/kernel/record/projection.js';
import { randomMoment } from '../../support/clocks/delays.js';

const adapter = pathToFileURL(
  join(process.cwd(), 'dist/src/adapters/read-store/embedded/embedded-read-store.adapter.js'),
).href;

/**
 * Writes batch after batch. At any moment, all 400 documents must contain the number of the batch at the checkpoint.
 */
const writer = `
  const { EmbeddedReadStore } = await import(${JSON.stringify(adapter)});
  const build = { projection: 'catalogue', generation: 'v1' };
  const store = new EmbeddedReadStore({ directory: process.argv[1] });
  await store.prepare(build, { things: { indexes: [{ fields: ['batch'] }] } });
  await store.activate(build, { things: { indexes: [{ fields: ['batch'] }] } });
  for (let last = await store.checkpoint(build); ; last += 1) {
    const document = (n) => ({ id: String(n), workspaceId: 'w1', batch: last + 1, text: 'x'.repeat(900) });
    const writes = Array.from({ length: 400 }, (_, n) =>
      ({ kind: 'put', collection: 'things', document: document(n), position: last + 1 }));
    await store.commit(build, last, last + 1, writes);
    if (last % 10 === 0) process.stdout.write('.');
  }`;

it('a writer killed at any moment leaves documents and checkpoint of the same batch', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'read-store-'));
  const build = { projection: 'catalogue', generation: 'v1' };
  const checkpoints = [-1];
  for (let round = 0; round < 8; round += 1) {
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', writer, directory]);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(said).toBe('');
    await randomMoment(0, 60);
    child.kill('SIGKILL');
    await once(child, 'close');

    const notices: string[] = [];
    const store = new EmbeddedReadStore({ directory, onNotice: (sentence) => notices.push(sentence) });
    const checkpoint = await store.checkpoint(build);
    const documents = await store.find<Document & { batch: number }>('things', { where: {} });
    expect(notices).toEqual([]);
    expect(documents).toHaveLength(400);
    expect(new Set(documents.map(({ batch }) => batch))).toEqual(new Set([checkpoint]));
    expect(await store.count('things', { batch: checkpoint })).toBe(400);
    expect(checkpoint).toBeGreaterThan(checkpoints.at(-1) ?? -1);
    checkpoints.push(checkpoint);
    await store.close();
  }
  rmSync(directory, { recursive: true, force: true });
});
