import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { randomMoment } from '../../support/clocks/delays.js';

const child = fileURLToPath(new URL('./event-store-kill.child.mjs', import.meta.url));
const built = fileURLToPath(new URL('../../../dist/src/adapters/event-store', import.meta.url));
const rounds = 10;

/** Needs a build, because the writer is a child process. */
describe('event store: embedded, killed while it writes', () => {
  let directory: EmbeddedDirectory;
  beforeEach(() => {
    directory = new EmbeddedDirectory();
  });
  afterEach(() => directory.remove());

  /** Lets a child write and kills it at a random moment. Returns what it had acknowledged. */
  async function writeAndKill(round: number): Promise<readonly string[]> {
    const writer = spawn(process.execPath, ['--no-warnings', child, directory.path, `${round}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    writer.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await once(writer.stdout, 'data');
    await randomMoment(0, 150);
    writer.kill('SIGKILL');
    await once(writer, 'close');
    return output.split('\n').slice(0, -1);
  }

  it('keeps everything acknowledged, and no partial list', async () => {
    if (!existsSync(built)) throw new Error('Nothing is built: run npm test, or npm run build before this spec.');
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      acknowledged.push(...(await writeAndKill(round)));
      const store = new EmbeddedEventStore({ directory: directory.path });
      const log = await store.readAll({ limit: 10_000_000 });
      await store.close();
      const count = new Map<string, number>();
      for (const { stream } of log) count.set(stream, (count.get(stream) ?? 0) + 1);
      const lost = acknowledged.filter((id) => !count.has(`left-ws.${id}`));
      expect(lost).toEqual([]);
      const lists = [...count.keys()].filter((stream) => /^(left|right)-/.test(stream)).map((s) => s.split('.')[1]);
      const halves = lists.filter((id) => count.get(`left-ws.${id}`) !== 2 || count.get(`right-ws.${id}`) !== 1);
      expect(halves).toEqual([]);
      expect(log).toHaveLength(new Set(lists).size * 4);
      expect(log.map(({ position }) => position)).toEqual(log.map((_, n) => n));
    }
    expect(acknowledged.length).toBeGreaterThan(rounds);
  }, 60_000);
});
