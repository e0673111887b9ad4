import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';
import { Tampering } from '../../support/stores/tampering.js';

const folders = new Folders();
let app: TestApp;
let bad: string;
let good: string;
let badStream: string;

const functionMade = async (name: string): Promise<string> => {
  const { id } = await done(app, 'automations/createFunction', { name, code: 'return 1' });
  await done(app, 'automations/updateFunction', { id, description: 'later' });
  return id;
};
const sealsIn = ({ dataDir }: TestApp) =>
  new Tampering(dataDir).one<{ n: number }>("SELECT count(*) AS n FROM events WHERE type = 'AuditSealed'").n;

/** Damages one event of one of two functions, removes the audit seals, and rebuilds all read models. */
beforeAll(async () => {
  app = await startApp({ dataDir: folders.make(), environment: embedded });
  bad = await functionMade('bad');
  good = await functionMade('good');
  badStream = `function-${(await done(app, 'workspace/getWorkspace')).id}.${bad}`;
  await app.app.close();
  const tampering = new Tampering(app.dataDir);
  const position = tampering.positionOf('FunctionDetailsChanged', badStream);
  expect(tampering.run("UPDATE events SET data = '{' WHERE position = ?", position)).toBe(1);
  tampering.run("DELETE FROM events WHERE type = 'AuditSealed'");
  for (const file of readdirSync(app.dataDir)) if (file.startsWith('read.db')) rmSync(join(app.dataDir, file));
  app = await startApp({ dataDir: app.dataDir, environment: embedded, ownerKey: app.ownerKey });
});
afterAll(async () => {
  await app.close();
  folders.remove();
});

describe('an event that cannot be read', () => {
  it('sets its record aside, also for commands, and everything else works', async () => {
    const refused = { status: 503, body: { code: 'record-set-aside' } };
    const change = { description: 'changed' };
    expect(await app.call('automations/getFunction', { id: bad })).toMatchObject(refused);
    expect(await app.call('automations/updateFunction', { id: bad, ...change })).toMatchObject(refused);
    expect(await app.call('automations/deleteFunction', { id: bad })).toMatchObject(refused);
    expect(await app.call('audit/getHistory', { kind: 'function', id: bad })).toMatchObject(refused);
    expect(await done(app, 'automations/updateFunction', { id: good, ...change })).toMatchObject(change);
    const more = await functionMade('more');
    const items = await done(app, 'automations/listFunctions');
    const shown = items.map(({ id, description }: { id: string; description: string }) => [id, description]);
    expect(new Map(shown)).toEqual(
      new Map([
        [bad, ''],
        [good, 'changed'],
        [more, 'later'],
      ]),
    );
    const ready = await app.send('GET', '/readyz');
    expect([ready.status, ready.body.parts.readModels]).toEqual([200, expect.stringContaining('functions (1)')]);
  });

  // Stops the service, so it is the last case.
  it('is not sealed, but everything else is; the verification names its position', async () => {
    await eventually(
      async () => sealsIn(app),
      (seals) => seals > 0,
    );
    await app.app.close();
    const log = new Tampering(app.dataDir);
    const position = log.positionOf('FunctionDetailsChanged', badStream);
    // A removed seal can leave a gap before the event.
    const last = log.one<{ n: number }>(`SELECT max(position) AS n FROM events WHERE position < ${position}`).n;
    const { error } = await cli({ ...embedded, DATA_DIR: app.dataDir }, 'audit:verify');
    expect(error).toContain(`The log cannot be read after position ${last}: the next event was changed`);
    const exported = await cli({ ...embedded, DATA_DIR: app.dataDir }, 'log:export', join(app.dataDir, 'exported'));
    expect(exported.error).toContain(
      `(FunctionDetailsChanged) of stream ${badStream}, at position ${position}, cannot`,
    );
  });
});
