import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AiCredits } from '../../../src/areas/workspace/credits/ai-credits.api.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore, EventStoreUnavailable } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { creditsShown, creditUse, leaveCredits } from '../../support/automations/credits.js';
import { takes } from '../../support/clocks/delays.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done, otherWorkspace, person } from '../../support/people.js';

let app: TestApp;
let clock: MadeUpClock;
beforeEach(async () => {
  clock = new MadeUpClock();
  app = await startApp({ replacements: [{ provide: Clock, useValue: clock }] });
});
afterEach(() => app.close());

const credits = () => app.app.get(AiCredits);
const never = () => new Promise<never>(() => undefined);
/** Work that lasts until the test ends it. */
function longWork() {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = () => {
    begun.resolve();
    return ended.promise;
  };
  return { work, begun: begun.promise, end: ended.resolve };
}

describe('AI credits', () => {
  it('are a hundred at first, separately for each workspace', async () => {
    expect(await creditsShown(app)).toBe(100);
    const other = await otherWorkspace(app);
    await leaveCredits(app, 97);
    expect(await creditsShown(app)).toBe(97);
    expect((await done(app, 'workspace/getWorkspace', {}, other.ownerKey)).aiCredits).toBe(100);
  });

  it('are shown by updateWorkspace too', async () => {
    await leaveCredits(app, 99);
    expect(await done(app, 'workspace/updateWorkspace', { name: 'Renamed' })).toMatchObject({ aiCredits: 99 });
  });

  it('are spent by work that succeeds, and its result is returned', async () => {
    expect(await credits().spend(await creditUse(app), async () => 'a poem')).toEqual({ made: 'a poem' });
    expect(await creditsShown(app)).toBe(99);
  });

  it('are returned for work that fails, whose failure is passed on', async () => {
    const work = async () => Promise.reject(new Error('no ink'));
    await expect(credits().spend(await creditUse(app), work)).rejects.toThrow('no ink');
    expect(await creditsShown(app)).toBe(100);
  });

  it('are reserved while the work is in progress', async () => {
    const { work, begun, end } = longWork();
    const going = credits().spend(await creditUse(app), work);
    await begun;
    expect(await creditsShown(app)).toBe(99);
    end();
    await going;
    expect(await creditsShown(app)).toBe(99);
  });

  it('are not overdrawn by many at once, and nobody is refused while there are some', async () => {
    await leaveCredits(app, 40);
    const uses = await Promise.all(Array.from({ length: 60 }, () => creditUse(app)));
    let worked = 0;
    const answers = await Promise.all(uses.map((use) => credits().spend(use, async () => worked++)));
    expect(answers.filter((answer) => answer === 'used-up')).toHaveLength(20);
    expect({ worked, left: await creditsShown(app) }).toEqual({ worked: 40, left: 0 });
  });

  it('need not wait for one another while the event store is away', async () => {
    const store = app.app.get(EventStore);
    const uses = await Promise.all(Array.from({ length: 20 }, () => creditUse(app)));
    const away = jest.spyOn(store, 'append').mockImplementation(async () => {
      await takes(100);
      throw new EventStoreUnavailable('away');
    });
    const spending = uses.map((use) => credits().spend(use, async () => 1));
    const outcomes = await Promise.allSettled(spending);
    expect(outcomes).toEqual(uses.map(() => ({ status: 'rejected', reason: expect.any(EventStoreUnavailable) })));
    expect(away).toHaveBeenCalledTimes(1);
    away.mockRestore();
    expect(await credits().spend(await creditUse(app), async () => 1)).toEqual({ made: 1 });
  });

  it('that a crash left reserved are available again after ten minutes, even after a restart', async () => {
    await leaveCredits(app, 1);
    const { work, begun } = longWork();
    void credits().spend(await creditUse(app), work);
    await begun;
    app = await app.restart();
    expect(await creditsShown(app)).toBe(0);
    expect(await credits().spend(await creditUse(app), never)).toBe('used-up');
    clock.advance(600_000);
    expect(await creditsShown(app)).toBe(1);
    expect(await credits().spend(await creditUse(app), async () => 1)).toEqual({ made: 1 });
    expect(await creditsShown(app)).toBe(0);
  });

  it('are not charged for work that exceeded its reservation, whose answer is withheld', async () => {
    const { work, begun, end } = longWork();
    const going = credits().spend(await creditUse(app), work);
    await begun;
    clock.advance(600_000);
    end();
    await expect(going).rejects.toMatchObject({ code: 'ai-credit-lapsed' });
    expect(await creditsShown(app)).toBe(100);
  });

  it('are spent once for a command that is repeated after it was charged', async () => {
    const use = await creditUse(app, true);
    expect(await credits().spend(use, async () => 1)).toEqual({ made: 1 });
    expect(await credits().spend(use, async () => 2)).toEqual({ made: 2 });
    expect(await creditsShown(app)).toBe(99);
  });

  it('are spent once for a command that is repeated before it was charged, or after they were returned', async () => {
    await leaveCredits(app, 1);
    const use = await creditUse(app, true);
    const { work, begun } = longWork();
    void credits().spend(use, work);
    await begun;
    const failing = async () => Promise.reject(new Error('no ink'));
    await expect(credits().spend(use, failing)).rejects.toThrow('no ink');
    expect(await credits().spend(use, async () => 2)).toEqual({ made: 2 });
    expect(await creditsShown(app)).toBe(0);
  });

  it('are recorded: who spent them on what, and how many', async () => {
    const editor = await person(app, 'editor');
    await credits().spend(await creditUse(app), async () => undefined);
    const { id, me } = await done(app, 'workspace/getWorkspace');
    const { events } = await done(app, 'audit/getHistory', { kind: 'credits', id }, editor.key);
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'CreditsOpened',
      'CreditReserved',
      'CreditCharged',
    ]);
    const said = events.map(({ actor, command }: { actor: { id: string }; command: string }) => [actor.id, command]);
    expect(new Set(said.flat())).toEqual(new Set([me.id, 'test/spend']));
    const [stream] = await app.app.get(EventStore).readStream(`credits-${id}.${id}`);
    expect(stream?.data).toEqual({ amount: 100 });
  });
});
