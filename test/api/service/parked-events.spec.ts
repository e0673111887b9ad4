import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ParkedScene, saga } from '../../support/automations/parked-scene.js';
import { eventually } from '../../support/eventually.js';

let scene: ParkedScene;
beforeAll(async () => {
  scene = await ParkedScene.start();
});
afterAll(() => scene.app.close());

it('an event that a saga fails on is parked and reported; others are processed, and a retry completes it', async () => {
  const { bad, good } = await scene.deletedMailhooks();
  await scene.parked(1);
  await eventually(
    () => scene.hasAddress(good),
    (has) => !has,
  );
  expect(await scene.hasAddress(bad)).toBe(true);
  const ready = await scene.app.send('GET', '/readyz');
  expect([ready.status, ready.body.parts.sagas]).toEqual([200, expect.stringContaining(`${saga} (1)`)]);
  const listed = await eventually(
    () => scene.cli('sagas:list'),
    ({ out }) => out.length > 0,
  );
  const [line] = listed.out.map((text) => JSON.parse(text));
  expect(line).toMatchObject({ saga, type: 'MailhookDeleted', tries: 3 });
  expect([line.stream, line.reason]).toEqual([
    expect.stringContaining(bad),
    expect.stringContaining('The vault chokes on it.'),
  ]);

  scene.fixCause();
  const asked = await scene.cli('sagas:retry', saga, String(line.position));
  expect([asked.code, asked.out]).toEqual([0, [JSON.stringify({ saga, asked: 1 })]]);
  await scene.parked(0);
  expect(await scene.hasAddress(bad)).toBe(false);
  // The gauge changes a moment before the list of parked events is written.
  await eventually(
    async () => (await scene.cli('sagas:list')).out,
    (lines) => lines.length === 0,
  );
  expect((await scene.app.send('GET', '/readyz')).body.parts.sagas).toBe('ok');
}, 60_000);

it('sagas:retry names the sagas and the usage for invalid arguments', async () => {
  const unknown = await scene.cli('sagas:retry', 'no-such-saga');
  expect([unknown.code, unknown.error]).toEqual([1, expect.stringContaining(saga)]);
  const nothing = await scene.cli('sagas:retry', saga, '7');
  expect([nothing.code, nothing.error]).toEqual([1, expect.stringContaining('sagas:list')]);
  expect((await scene.cli('sagas:retry', saga)).out).toEqual([JSON.stringify({ saga, asked: 0 })]);
  expect((await scene.cli('sagas:retry')).code).toBe(2);
}, 60_000);
