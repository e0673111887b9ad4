import { startApp, type TestApp } from '../app.js';
import { embedded } from '../stores/log-transfer.js';
import { Fate } from './mortal-vault.js';

/** Services on embedded stores whose vault can die, one after the other on the same data. */
export class MortalApps {
  readonly fate = new Fate();
  private readonly apps: TestApp[] = [];

  async begin(dataDir: string, ownerKey?: string): Promise<TestApp> {
    const given = ownerKey === undefined ? {} : { ownerKey };
    const options = { dataDir, environment: embedded, replacements: [this.fate.provider], several: false, ...given };
    const started = await startApp(options);
    this.apps.push(started);
    return started;
  }

  async restarted({ app, dataDir, ownerKey }: TestApp): Promise<TestApp> {
    await app.close();
    this.fate.revive();
    return this.begin(dataDir, ownerKey);
  }

  async close(): Promise<void> {
    for (const one of this.apps.splice(0)) await one.close();
  }
}
