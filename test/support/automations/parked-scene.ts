import { EmbeddedVault } from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import { readMasterKey } from '../../../src/adapters/vault/embedded/master-key.js';
import { Environment } from '../../../src/config/environment.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { type DestroyOptions, Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../all-of.js';
import { startApp, type TestApp } from '../app.js';
import { SettableClock } from '../clocks/settable-clock.js';
import { eventually } from '../eventually.js';
import { done } from '../people.js';
import { cli } from '../stores/log-transfer.js';

/** Ids whose vault entries cannot be destroyed. The error is a fault and not an outage. */
const choking = new Set<string>();

class ChokingVault extends EmbeddedVault {
  override async destroy(name: string, options?: DestroyOptions): Promise<void> {
    const choked = [...choking].find((id) => name.includes(id));
    if (choked !== undefined) throw new Error('The vault chokes on it.');
    await super.destroy(name, options);
  }
}

const provider = {
  provide: Vault,
  inject: [Environment, Clock],
  useFactory: ({ dataDir, masterKey: text }: Environment, clock: Clock) =>
    new ChokingVault({ directory: dataDir, clock, masterKey: readMasterKey({ text, directory: dataDir }) }),
};

/** The saga that destroys the vault entries of a deleted mailhook. */
export const saga = 'deleted-mailhooks-take-their-mail';

/** A service whose saga fails on the deletion of a mailhook until the cause is fixed. */
export class ParkedScene {
  private constructor(
    public app: TestApp,
    private readonly clock: SettableClock,
  ) {}

  static async start(): Promise<ParkedScene> {
    choking.clear();
    const clock = new SettableClock();
    return new ParkedScene(await startApp({ replacements: [provider, { provide: Clock, useValue: clock }] }), clock);
  }

  async restart(): Promise<void> {
    this.app = await this.app.restart();
  }

  cli(...args: string[]) {
    return cli({ DATA_DIR: this.app.dataDir }, ...args);
  }

  /** Waits until this number of the saga's events are parked. */
  async parked(count: number): Promise<void> {
    const gauge = new RegExp(`^countersign_saga_parked_events\\{saga="${saga}",state="parked"\\} (\\S+)$`, 'm');
    await this.clock.hasten(() =>
      eventually(
        async () => gauge.exec(String((await this.app.send('GET', '/metrics')).body))?.[1],
        (now) => now === String(count),
      ),
    );
  }

  fixCause(): void {
    choking.clear();
  }

  /** Deletes two mailhooks. The cleanup after the deletion of `bad` fails. */
  async deletedMailhooks() {
    const { app } = this;
    const { id: functionId } = await done(app, 'automations/createFunction', { name: 'one', code: 'return 1' });
    await done(app, 'automations/updateFunction', { id: functionId, isActive: true });
    const target = { targetKind: 'account_function', targetRef: functionId };
    const bad = await done(app, 'automations/createMailhook', { name: 'bad', ...target });
    const good = await done(app, 'automations/createMailhook', { name: 'good', ...target });
    choking.add(bad.id);
    await done(app, 'automations/deleteMailhook', { id: bad.id });
    await done(app, 'automations/deleteMailhook', { id: good.id });
    return { bad: bad.id as string, good: good.id as string };
  }

  /** Whether the vault has an address of the mailhook. */
  async hasAddress(id: string): Promise<boolean> {
    return (await allOf(this.app.app.get(Vault).sealedEntries())).some(({ name }) => name.includes(id));
  }
}
