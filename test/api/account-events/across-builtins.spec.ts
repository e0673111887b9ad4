// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtins } from '../../../src/areas/account-events/builtin/builtin.api.js';
import { siteProperties } from '../../../src/areas/account-events/builtin/builtin-line.api.js';
import { type TriggerRunShown } from '../../support/automations/event-triggers.js';
import { activeFlow, ranFlow } from '../../support/automations/flows.js';
import { automationHappenings } from '../../support/automations/happenings/of-automations.js';
import { siteHappenings } from '../../support/automations/happenings/of-sites.js';
import {
  app,
  canary,
  endAcross,
  type Happening,
  type Happenings,
  idle,
  mailboxId,
  outside,
  scene,
  startAcross,
} from '../../support/automations/happenings/scene.js';
import { oneIn } from '../../support/depth.js';
import { eventually } from '../../support/eventually.js';
import { password } from '../../support/mail/mailboxes.js';

beforeAll(startAcross, 60_000);
afterAll(endAcross);

const happenings: Happenings = { ...automationHappenings, ...siteHappenings };

/** Starts a target of another kind than the event is about, to avoid a loop. */
const watch = (event: string) =>
  event.startsWith('flow.') ? scene.add(idle.fn, event) : scene.add(idle.flow, event, { targetKind: 'flow' });

const told: TriggerRunShown[] = [];

const idOf = (subject: object) => ('id' in subject ? subject.id : undefined);

/** Waits until the trigger's run for an event with this name and subject has ended. */
const firedBy = async (triggerId: string, event: string, { subject, properties, times = 1 }: Happening) => {
  const isIt = (fired: { readonly name: string; readonly subject: object; readonly properties: object }) =>
    fired.name === event &&
    idOf(fired.subject) === idOf(subject) &&
    (!('changed' in properties) || JSON.stringify(fired.properties) === JSON.stringify(properties));
  const all = await eventually(
    () => scene.runs(triggerId, { limit: 200 }),
    (runs) => {
      const its = runs.filter((run) => isIt(run.event));
      return its.length === times && its.every((run) => run.status !== 'queued');
    },
    15_000,
  );
  return all.filter((run) => isIt(run.event));
};

describe('built-in events', () => {
  it('are all caused here', () => {
    expect(Object.keys(happenings).sort()).toEqual(builtins.map((line) => `${line.on} ${line.name}`).sort());
  });

  it.each(Object.entries(happenings))('the real thing raises %s', async (line, happen) => {
    const event = line.split(' ')[1] ?? '';
    // In the first tier, only one of them, chosen at random.
    const names = oneIn(2, [event, `${event.split('.')[0]}.*`]);
    const watches = await Promise.all(names.map(watch));
    try {
      const happening = await happen();
      for (const { id } of watches) {
        const runs = await firedBy(id, event, happening);
        expect(new Set(runs.map((run) => run.event.id)).size).toBe(runs.length);
        expect(runs[0]).toMatchObject({ status: 'ok', attempts: 1 });
        expect(runs[0]?.event.subject).toEqual(happening.subject);
        expect(runs[0]?.event.properties).toEqual(happening.properties);
        told.push(...runs);
      }
    } finally {
      for (const { id } of watches) await scene.ok('removeEventTrigger', { id });
    }
  });

  it('lead to their site by the property that their line states, and by no other', () => {
    const wrong = told.filter(({ event: { name, subject, properties } }) => {
      const ofSite = builtins.find((line) => line.name === name)?.ofSite;
      const isOfSite = subject.type !== 'function' && ofSite !== undefined;
      const found = siteProperties.filter((property) => Object.hasOwn(properties, property));
      return (
        JSON.stringify([subject.type, ...found]) !==
        JSON.stringify(isOfSite ? [ofSite.kind, ofSite.by] : [subject.type])
      );
    });
    expect(wrong).toEqual([]);
    expect(builtins.filter(({ name, ofSite }) => /^(?:base|site)\./.test(name) && ofSite === undefined)).toEqual([]);
  });

  it('reveal no secrets, no mails and no addresses that serve as passwords', () => {
    const all = JSON.stringify(told);
    for (const secret of [canary, password, 'ada@example', 'An order']) expect(all.includes(secret)).toBe(false);
    expect(/\bin-[0-9a-hjkmnp-tv-z]{26}\b/i.test(all)).toBe(false);
  });
});

describe('a mail that a flow sends', () => {
  it('is reported as sent by the flow', async () => {
    const trigger = await scene.add(idle.fn, 'email.sent', {
      filters: [{ field: 'origin', op: 'eq', value: 'flow' }],
    });
    const settings = {
      mailbox: 'out',
      to: '{{input.to}}',
      subject: 'Order {{input.order}}',
      text: 'It is on its way.',
    };
    const id = await activeFlow(app, [{ id: 'mail', kind: 'send_mail', settings }]);
    const run = await ranFlow(app, id, { to: 'ada@example.org', order: 7 });
    expect(run).toMatchObject({ status: 'success' });
    expect(outside.last).toMatchObject({ to: ['ada@example.org'], secure: true });
    expect(outside.last.mail.subject).toBe('Order 7');
    const [fired] = await scene.over(trigger.id);
    expect(fired?.event).toMatchObject({
      origin: 'flow',
      subject: { type: 'mailAccount', id: mailboxId, name: 'out' },
      properties: { messageId: outside.last.mail.messageId, recipients: 1, refused: 0, purpose: 'mail' },
    });
  });
});
