// Engines: one process.
// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import '../../../src/app.module.js';
import { runCommand } from '../../../src/cli/commands.js';
import { allOperations } from '../../../src/engine/operation/operation.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventScene } from '../../support/automations/event-triggers.js';
import { entrancePlaces } from '../../support/hostile/entrance-places.js';
import { freeFields } from '../../support/hostile/free-fields.js';
import { asText, hostile, hostileKeys, illFormed, type Json } from '../../support/hostile/hostile-json.js';
import { HostileScene, type Place } from '../../support/hostile/places.js';
import { sitePlaces } from '../../support/hostile/site-places.js';
import { workPlaces } from '../../support/hostile/work-places.js';
import { freePort } from '../../support/mail/free-port.js';
import { done, otherWorkspace } from '../../support/people.js';
import { type AssistantServer, startAssistantServer } from '../../support/servers/assistant-server.js';

const places: readonly Place[] = [...workPlaces, ...entrancePlaces, ...sitePlaces];
let app: TestApp;
let assistant: AssistantServer;
let scene: HostileScene;
let neighbour: { readonly key: string; readonly fn: string; readonly before: string };
beforeAll(async () => {
  assistant = await startAssistantServer();
  const port = await freePort();
  const asked = { ASSISTANT_URL: assistant.url, ASSISTANT_KEY: 'sk-agents', ASSISTANT_MODEL: 'model-1' };
  app = await startApp({ environment: { ...asked, SMTP_IN_PORT: String(port) } });
  const { ownerKey: key } = await otherWorkspace(app);
  const { id: fn } = await done(app, 'automations/createFunction', { name: 'Theirs', code: 'return 1' }, key);
  neighbour = { key, fn, before: await shownToNeighbour(key, fn) };
  scene = await HostileScene.of(app, port, assistant);
}, 60_000);
afterAll(async () => {
  await app?.close();
  await assistant?.close();
});

/** Fields whose JSON cannot have keys of the customer's choice, and why. */
const closed: readonly (readonly [fields: RegExp, why: string])[] = [
  [/ (field\.|fields\.)?accessRules\.(read|write|create|update|delete|send|subscribe|publish|execute)$/, 'a condition'],
  [/ (useRules|audienceRules)$/, 'a condition'],
  [/^connections\/\w+ headers$/, 'texts by name, sealed as one text'],
  [/^site\/serverProxy (headers|body)$/, 'sent on, and not kept'],
  [/\.runBy\.\w+$/, 'ids, or a word'],
  [/ grants\.capabilities$/, 'is not kept'],
  [/Offer (paymentTerm|accessTerm|features)$/, 'words and numbers, by name'],
  [/^audit\/diffStates (from|to)$/, 'a time'],
  [/^bases\/listRows sort$/, 'names of fields'],
];

describe('the table of JSON fields', () => {
  it('is complete: a new field for JSON states here how hostile keys are handled', () => {
    const fields = [...allOperations()].flatMap(freeFields);
    const known = new Set(places.flatMap(({ of }) => of));
    expect(fields.filter((field) => !known.has(field) && !closed.some(([those]) => those.test(field)))).toEqual([]);
    expect([...known].filter((field) => !fields.includes(field))).toEqual([]);
    expect(closed.filter(([those]) => !fields.some((field) => those.test(field)))).toEqual([]);
  });
});

const shownToNeighbour = async (key: string, id: string) =>
  asText([
    await done(app, 'automations/getFunction', { id }, key),
    await done(app, 'accountEvents/listEventTriggers', {}, key),
    await done(app, 'flows/listFlows', {}, key),
    await done(app, 'site/listProjects', {}, key),
  ]);

interface Fate {
  readonly is: Place['takes'];
  readonly why?: unknown;
}

/** Sends the JSON. If it is accepted, expects it to be shown unchanged. */
async function fate(place: Place, json: Json): Promise<Fate> {
  const { reply, shown } = await place.give(scene, json);
  if (reply.status === 200) {
    expect([place.what, asText(await shown())]).toEqual([place.what, asText(json)]);
    return { is: 'kept' };
  }
  const { status, body } = reply;
  expect([place.what, [400, 422].includes(status), typeof body.code]).toEqual([place.what, true, 'string']);
  return { is: 'refused', why: body.detail };
}

describe('JSON with keys that have a meaning for stores', () => {
  it.each(places.map((place) => [place.what, place] as const))(
    'is returned unchanged or refused: %s',
    async (_, place) => {
      const whole = await fate(place, hostile());
      expect([whole.is, whole.is === place.takes || whole.why]).toEqual([place.takes, true]);
      await fate(place, illFormed());
      // The JSON with all keys was refused, so each key is tried alone.
      if (place.takes === 'refused') for (const key of hostileKeys) await fate(place, Object.fromEntries([[key, 1]]));
    },
    120_000,
  );
});

describe('after all of that', () => {
  it('nobody has a right that was never given', async () => {
    expect(Object.getOwnPropertyNames(Object.prototype).filter((name) => /isAdmin|_bsontype/.test(name))).toEqual([]);
    expect(await shownToNeighbour(neighbour.key, neighbour.fn)).toBe(neighbour.before);
  });

  it('every event that was recorded can be shown', async () => {
    for (let before: number | null | undefined; before !== null; ) {
      const page = await done(app, 'audit/listEvents', { limit: 200, ...(before === undefined ? {} : { before }) });
      for (const { position } of page.events) await done(app, 'audit/getEvent', { position });
      before = page.next;
    }
  }, 120_000);

  it('the read models work: later events are shown, here and to others', async () => {
    const { ok, fn, add, over } = eventScene(app);
    const { id } = await add(await fn(), 'custom.alive');
    await ok('raise', { name: 'alive' });
    expect(await over(id)).toMatchObject([{ status: 'ok' }]);
    await done(app, 'automations/updateFunction', { id: neighbour.fn, isActive: true }, neighbour.key);
    const { isActive } = await done(app, 'automations/getFunction', { id: neighbour.fn }, neighbour.key);
    const { body } = await app.send('GET', '/readyz');
    expect([isActive, body.parts.readModels]).toEqual([true, 'ok']);
  });

  it('the read models equal a rebuild', async () => {
    const lines: string[] = [];
    await runCommand(['projections:verify'], app.environment, { out: (line) => lines.push(line), error: () => {} });
    expect(lines.filter((line) => !line.includes(': equal at position'))).toEqual([]);
    expect(lines).toHaveLength(projections.length);
  }, 120_000);
});
