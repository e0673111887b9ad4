import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedVault } from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import { readMasterKey } from '../../../src/adapters/vault/embedded/master-key.js';
import { runCommand } from '../../../src/cli/commands.js';
import { Environment } from '../../../src/config/environment.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { type DestroyOptions, Vault } from '../../../src/ports/vault.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';

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

const clock = new SettableClock();
let app: TestApp;
beforeEach(async () => {
  choking.clear();
  app = await startApp({ replacements: [provider, { provide: Clock, useValue: clock }] });
});
afterEach(() => app.close());

async function cli(...args: string[]) {
  const out: string[] = [];
  const error: string[] = [];
  const console = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  const code = await runCommand(args, { DATA_DIR: app.dataDir }, console);
  return { code, out, error: error.join('\n') };
}

const saga = 'deleted-mailhooks-take-their-mail';
const gauge = async (name: string): Promise<string | undefined> => {
  const { body } = await app.send('GET', '/metrics');
  return new RegExp(`^${name} (\\S+)$`, 'm').exec(String(body))?.[1];
};
const parkedGauge = () => gauge(`countersign_saga_parked_events\\{saga="${saga}",state="parked"\\}`);
const parked = (count: string) => clock.hasten(() => eventually(parkedGauge, (now) => now === count));

/** Two mailhooks. The cleanup after the deletion of `bad` fails. */
async function twoMailhooks() {
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
const hasAddress = (id: string) => async () => [...(await names())].some((name) => name.includes(id));

async function names(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name } of app.app.get(Vault).sealedEntries()) found.push(name);
  return found;
}

describe('an event that a saga fails on', () => {
  it('is parked and reported; others are processed, and a retry completes it, also after a restart', async () => {
    const { bad, good } = await twoMailhooks();
    await parked('1');
    await eventually(hasAddress(good), (has) => !has);
    expect(await hasAddress(bad)()).toBe(true);
    const ready = await app.send('GET', '/readyz');
    expect([ready.status, ready.body.parts.sagas]).toEqual([200, expect.stringContaining(`${saga} (1)`)]);
    const listed = await eventually(
      () => cli('sagas:list'),
      ({ out }) => out.length > 0,
    );
    const [line] = listed.out.map((text) => JSON.parse(text));
    expect(line).toMatchObject({ saga, type: 'MailhookDeleted', tries: 3 });
    expect([line.stream, line.reason]).toEqual([
      expect.stringContaining(bad),
      expect.stringContaining('The vault chokes on it.'),
    ]);

    app = await app.restart();
    await parked('1');
    choking.clear();
    const asked = await cli('sagas:retry', saga, String(line.position));
    expect([asked.code, asked.out]).toEqual([0, [JSON.stringify({ saga, asked: 1 })]]);
    await parked('0');
    expect(await hasAddress(bad)()).toBe(false);
    // The gauge changes a moment before the list of parked events is written.
    await eventually(
      async () => (await cli('sagas:list')).out,
      (lines) => lines.length === 0,
    );
    expect((await app.send('GET', '/readyz')).body.parts.sagas).toBe('ok');
  }, 60_000);

  it('is processed at the next start, after the cause is fixed', async () => {
    const { bad } = await twoMailhooks();
    await parked('1');
    choking.clear();
    app = await app.restart();
    await parked('0');
    expect(await hasAddress(bad)()).toBe(false);
  }, 60_000);
});

describe('sagas:retry', () => {
  it('names the sagas and the usage for invalid arguments', async () => {
    const unknown = await cli('sagas:retry', 'no-such-saga');
    expect([unknown.code, unknown.error]).toEqual([1, expect.stringContaining(saga)]);
    const nothing = await cli('sagas:retry', saga, '7');
    expect([nothing.code, nothing.error]).toEqual([1, expect.stringContaining('sagas:list')]);
    expect((await cli('sagas:retry', saga)).out).toEqual([JSON.stringify({ saga, asked: 0 })]);
    expect((await cli('sagas:retry')).code).toBe(2);
  }, 60_000);
});
