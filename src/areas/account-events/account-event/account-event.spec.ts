import { describe, expect, it } from '@jest/globals';
import { refusalOf } from '../../../../test/support/given/given.js';
import { checkRaised, type RaisedEvent, raisedSchemas } from './account-event.js';
import { sourceOf } from './account-event.record.js';
import { eventOrigin } from './event-origin.api.js';

const wrong = (event: RaisedEvent) => refusalOf(() => checkRaised(event)).facts.errors;
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));

describe('a raised event', () => {
  it.each<RaisedEvent>([
    { name: 'order.paid' },
    { name: '7_a-b.c'.padEnd(80, 'x'), properties: keys(30), idempotencyKey: ' ~'.padEnd(255, '!') },
    { name: 'customs', subject: { text: 'x'.repeat(2_037) }, properties: { text: 'x'.repeat(8_181) } },
  ])('may be %j', (event) => {
    expect(() => checkRaised(event)).not.toThrow();
  });

  it.each<[string, Partial<RaisedEvent>, string]>([
    ['no name', { name: '' }, 'name'],
    ['a name of 81 characters', { name: 'x'.repeat(81) }, 'name'],
    ['a name in capitals', { name: 'Order' }, 'name'],
    ['a name with a space', { name: 'x y' }, 'name'],
    ['a name with a line break', { name: 'x\n' }, 'name'],
    ['a name that begins with a dot', { name: '.order' }, 'name'],
    ['the prefix of custom events', { name: 'custom.order' }, 'name'],
    ['the prefix of apps', { name: 'app.order' }, 'name'],
    ['31 properties', { properties: keys(31) }, 'properties'],
    ['properties of more than 8 KB', { properties: { text: 'é'.repeat(4_091) } }, 'properties'],
    ['a subject of more than 2 KB', { subject: { text: 'x'.repeat(2_038) } }, 'subject'],
    ['an empty idempotency key', { idempotencyKey: '' }, 'idempotencyKey'],
    ['an idempotency key of 256', { idempotencyKey: 'x'.repeat(256) }, 'idempotencyKey'],
    ['an idempotency key that is not ASCII', { idempotencyKey: 'é' }, 'idempotencyKey'],
  ])('must not have %s', (_, more, path) => {
    expect(wrong({ name: 'order.paid', ...more })).toEqual([{ path, message: expect.any(String) }]);
  });

  it('is refused with all faults at once', () => {
    expect(wrong({ name: '', properties: keys(31), idempotencyKey: '' })).toMatchObject([
      { path: 'name' },
      { path: 'properties' },
      { path: 'idempotencyKey' },
    ]);
  });

  it.each(['order.paid', 'Order', 'custom.order', 'app.x', 'x'.repeat(81)])(
    'is documented by a schema that agrees about the name %j',
    (name) => {
      const fits = new RegExp(raisedSchemas.name.pattern).test(name);
      if (fits) expect(() => checkRaised({ name })).not.toThrow();
      else expect(wrong({ name })).toMatchObject([{ path: 'name' }]);
    },
  );
});

it.each([
  ['agent', 'agent'],
  ['flow', 'flow'],
  ['function', 'function'],
  ['connection', 'mcp'],
  ['person', 'api'],
  ['automation', 'api'],
  ['visitor', 'api'],
] as const)('an event that comes from a caller of the kind %s has the origin %s (Q-E14)', (kind, origin) => {
  expect(eventOrigin(kind)).toBe(origin);
});

it('the source of an event is the beginning of its name', () => {
  expect(sourceOf('custom.order.paid')).toBe('custom');
});
