import { createHash } from 'node:crypto';
import { parseStream } from '../../src/kernel/stream-name.js';
import { Blobs } from '../../src/ports/blobs.port.js';
import { EventStore } from '../../src/ports/event-store.port.js';
import { ReadStore } from '../../src/ports/read-store.port.js';
import { Texts } from '../../src/ports/texts.port.js';
import { Vault } from '../../src/ports/vault.port.js';
import { allOf } from './all-of.js';
import type { TestApp } from './app.js';
import { sagasAreDone } from './sagas-are-done.js';

/** What the service notes by itself of any request, whatever it asks for. */
const byItself = new Set(['apiKeyUse', 'auditSeal']);

/** Tells whether anything was changed in any store between two moments. */
export class StoreMarks {
  private writes = 0;

  constructor(private readonly app: TestApp) {
    const store = app.app.get(ReadStore, { strict: false });
    const commit = store.commit.bind(store);
    const counted: ReadStore['commit'] = (build, expected, checkpoint, writes) => {
      this.writes += writes.length;
      return commit(build, expected, checkpoint, writes);
    };
    Object.assign(store, { commit: counted });
  }

  /** Two of them are equal when nothing was recorded, kept or shown otherwise between them. */
  async taken(): Promise<object> {
    await sagasAreDone(this.app);
    const get = this.app.app.get.bind(this.app.app);
    const vault = createHash('sha256');
    for await (const { name, sealedValue } of get(Vault, { strict: false }).sealedEntries()) {
      vault.update(name).update(sealedValue);
    }
    const blobs = (await allOf(get(Blobs, { strict: false }).sealedBlobs())).map(({ name }) => name);
    const texts = (await allOf(get(Texts, { strict: false }).storedTexts())).map(({ digest }) => digest);
    const [last] = await this.lastRecorded();
    return { last, vault: vault.digest('hex'), blobs, texts, writes: this.writes };
  }

  private async lastRecorded() {
    const store = this.app.app.get(EventStore, { strict: false });
    const events = await store.readAll({ direction: 'backward', limit: 50 });
    return events
      .filter(({ stream }) => !byItself.has(parseStream(stream).category))
      .map(({ position, type }) => ({ position, type }));
  }
}
