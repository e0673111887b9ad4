import { afterEach, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { embedded } from '../../support/stores/log-transfer.js';
import { Tampering } from '../../support/stores/tampering.js';

let app: TestApp;
afterEach(() => app.close());

/** Writes directly to the database file of the running service. */
function writeUnreadableTo(stream: string): void {
  const tampering = new Tampering(app.dataDir);
  const ofStream = '(SELECT id FROM streams WHERE name = ?)';
  tampering.run('UPDATE streams SET revision = revision + 1 WHERE name = ?', stream);
  tampering.run(
    `INSERT INTO events (position, stream_id, revision, event_id, type, data, metadata)
     SELECT (SELECT head + 1 FROM log), stream_id, revision + 1, 'x', 'ScheduleReplaySwitched', '{', metadata FROM events
     WHERE stream_id = ${ofStream} ORDER BY revision DESC LIMIT 1`,
    stream,
  );
  tampering.run('UPDATE log SET head = head + 1');
}

it('an unreadable event that another process has written stops no reader of the log: schedules of others fire', async () => {
  const clock = new MadeUpClock(Date.parse('2026-03-28T12:00:30Z'));
  app = await startApp({ environment: embedded, replacements: [{ provide: Clock, useValue: clock }] });
  const { id: functionId } = await done(app, 'automations/createFunction', { name: 'on time', code: 'return 1' });
  await done(app, 'automations/updateFunction', { id: functionId, isActive: true });
  const scheduled = async (cronExpression: string): Promise<string> =>
    (await done(app, 'automations/createSchedule', { functionId, cronExpression })).id;
  const damaged = await scheduled('0 13 * * *');
  const stream = `schedule-${(await done(app, 'workspace/getWorkspace')).id}.${damaged}`;
  writeUnreadableTo(stream);
  await eventually(
    async () => (await app.send('GET', '/readyz')).body.parts.readModels as string,
    (said) => said.includes('schedules (1)'),
  );
  const refused = { status: 503, body: { code: 'record-set-aside' } };
  expect(await app.call('automations/setScheduleActive', { id: damaged, isActive: false })).toMatchObject(refused);
  const scheduleId = await scheduled('5 13 * * *');
  clock.advance(66 * 60_000);
  const runs = await eventually(
    async () => {
      clock.advance(100);
      return (await done(app, 'automations/listRuns', { functionId })) as readonly { scheduleId: string }[];
    },
    (all) => all.some((run) => run.scheduleId === scheduleId),
  );
  expect(runs.filter((run) => run.scheduleId === damaged)).toEqual([]);
}, 60_000);
