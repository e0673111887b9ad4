import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
}, 60_000);
afterAll(() => app?.close());

const undo = (position: number) => done(app, 'audit/undoChange', { position });

it('an undone event is marked as such in getEvent and in the lists, until its undo is undone', async () => {
  const { id } = await done(app, 'automations/createFunction', { name: 'Undone', code: 'return 1;' });
  await done(app, 'automations/updateFunction', { id, description: 'wrong' });
  const changed = (await done(app, 'audit/getHistory', { kind: 'function', id })).events.at(-1);
  const { position: undoing } = await undo(changed.position);
  const answers = async () => {
    const { events: listed } = await done(app, 'audit/listEvents', { id });
    const { events: history } = await done(app, 'audit/getHistory', { kind: 'function', id });
    const one = await done(app, 'audit/getEvent', { position: changed.position });
    const own = ({ position }: { position: number }) => position === changed.position;
    return [one.undoneBy, listed.find(own).undoneBy, history.find(own).undoneBy];
  };
  const { at, actor } = await done(app, 'audit/getEvent', { position: undoing });
  const undoneBy = { position: undoing, at, by: { kind: actor.kind, id: actor.id, name: actor.name } };
  expect(await answers()).toEqual([undoneBy, undoneBy, undoneBy]);
  await undo(undoing);
  expect(await answers()).toEqual([undefined, undefined, undefined]);
});
