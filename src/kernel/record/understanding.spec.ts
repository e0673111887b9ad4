import { describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '../event/event.js';
import { concerns, declareKind, declareRead, isBeyondThisVersion, mustBeUnderstood } from './understanding.js';

const eventOf = (stream: string, type: string, mustUnderstand?: true) =>
  ({ stream, type, data: {}, metadata: mustUnderstand === undefined ? {} : { mustUnderstand } }) as RecordedEvent;

describe('events of newer versions', () => {
  declareKind('lamp', ['LampLit', 'LampSold'], ['LampSold']);
  declareRead(['LampLit', 'GlowNoted']);

  it.each([
    ['an unknown one of a record', 'lamp-ws_1.l1', 'LampBroken', true, true],
    ['an unknown one that may be passed over', 'lamp-ws_1.l1', 'LampBroken', undefined, false],
    ['one that the record knows', 'lamp-ws_1.l1', 'LampSold', true, false],
    ['one that only other streams have', 'lamp-ws_1.l1', 'GlowNoted', true, true],
    ['one of a journal that a read model reads', 'glow-ws_1.l1', 'GlowNoted', true, false],
    ['one of a journal that nobody reads', 'glow-ws_1.l1', 'GlowLost', true, true],
  ] as const)('must be understood or not: %s', (_, stream, type, mustUnderstand, is) => {
    expect(isBeyondThisVersion(eventOf(stream, type, mustUnderstand))).toBe(is);
  });

  it('concern readers of others of their kind, and, if they belong to no record, readers of journals', () => {
    const ofLamp = eventOf('lamp-ws_1.l1', 'LampBroken');
    const ofJournal = eventOf('glow-ws_1.l1', 'GlowLost');
    expect([concerns(['LampSold'], ofLamp), concerns(['GlowNoted'], ofLamp)]).toEqual([true, false]);
    expect([concerns(['LampSold'], ofJournal), concerns(['LampSold', 'GlowNoted'], ofJournal)]).toEqual([false, true]);
  });

  it('are declared by the record', () => {
    expect([mustBeUnderstood('lamp', 'LampSold'), mustBeUnderstood('lamp', 'LampLit')]).toEqual([true, false]);
    expect(mustBeUnderstood('glow', 'LampSold')).toBe(false);
  });
});
