import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FactoryProvider } from '@nestjs/common';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { type Closable, Closables, closablesOf, portProviders } from './closables.js';

abstract class Store {
  abstract close(): Promise<void>;
}
abstract class Log extends Store {}
abstract class Runs {
  abstract close(graceMs: number): Promise<void>;
}
abstract class Dice {}

let closed: string[];
let clock: MadeUpClock;
let closables: Closables;
beforeEach(() => {
  [closed, clock] = [[], new MadeUpClock()];
  const { inject = [], useFactory } = closablesOf(
    portProviders([
      { provide: Dice, useValue: {} },
      { provide: Log, closes: 'by-another', useValue: {} },
      { provide: Store, closes: 'stores', useValue: {} },
      { provide: Runs, closes: 'runs', useValue: {} },
    ]),
  ) as FactoryProvider<Closables>;
  const made = inject.slice(1).map((token): Closable => {
    const { name } = token as { readonly name: string };
    return { close: async (graceMs) => void closed.push(`${name} within ${graceMs}`) };
  });
  closables = useFactory(clock, ...made) as Closables;
});

describe('open ports', () => {
  it('are closed in stages, and not twice', async () => {
    await closables.close('runs');
    await closables.close('stores');
    expect(closed).toEqual(['Runs within 10000', 'Store within 10000']);
  });

  it('are given less time if everything must end sooner', async () => {
    closables.hurry(clock.now() + 5_000);
    closables.hurry(Number.POSITIVE_INFINITY);
    await closables.close('runs');
    clock.advance(4_000);
    await closables.close('stores');
    expect(closed).toEqual(['Runs within 2000', 'Store within 0']);
  });
});
