import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { Leases, type LivingProcess } from '../../ports/leases.port.js';
import { ClusterMembership } from './cluster-membership.js';
import { LeaseKeeper } from './lease-keeper.js';

class Register extends Leases {
  override readonly silenceMs = 8_000;
  readonly notes = new Map<string, JsonObject>();
  private readonly heardAt = new Map<string, number>();

  constructor(private readonly clock: MadeUpClock) {
    super();
  }

  override async beat(process: string, note: JsonObject): Promise<boolean> {
    this.notes.set(process, note);
    this.heardAt.set(process, this.clock.now());
    return true;
  }

  override async processes(): Promise<readonly LivingProcess[]> {
    const silent = (name: string) => this.clock.now() - (this.heardAt.get(name) ?? 0) >= this.silenceMs;
    return [...this.notes].map(([name, note]) => ({ name, note, silent: silent(name) }));
  }

  override async leave(process: string): Promise<void> {
    this.notes.delete(process);
  }

  override acquire = async () => true;
  override release = async () => undefined;
  override holders = async () => new Map<string, string>();
  override giveUp = async () => false;
  override close = async () => undefined;
}

let clock: MadeUpClock;
let register: Register;
const keepers: LeaseKeeper[] = [];
beforeEach(() => {
  clock = new MadeUpClock();
  register = new Register(clock);
});
afterEach(async () => {
  await Promise.all(keepers.splice(0).map((keeper) => keeper.stop()));
});

function processOf(name: string, leases: Leases = register) {
  const keeper = new LeaseKeeper(leases, clock, { value: name });
  keepers.push(keeper);
  const joining = new ClusterMembership(leases, keeper, { value: name }, clock);
  return { keeper, join: (settings: Readonly<Record<string, string>>) => joining.join(settings, () => ({ is: name })) };
}

async function within<T>(promise: Promise<T>): Promise<T | string> {
  let settled: T | string | undefined;
  promise.then(
    (value) => {
      settled = value ?? 'joined';
    },
    (error: Error) => {
      settled = error.message;
    },
  );
  for (let step = 0; step < 1_000 && settled === undefined; step += 1) {
    clock.advance(100);
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  }
  return settled ?? 'waits';
}

const settings = { MESSAGES: 'kafka', KAFKA_NAMESPACE: 'shop', RUN_RETENTION_DAYS: '30' };

describe('a process that joins others', () => {
  it('joins those with the same settings, and reports it to them', async () => {
    expect(await within(processOf('a').join(settings))).toBe('joined');
    expect(await within(processOf('b').join({ ...settings }))).toBe('joined');
    expect(register.notes.get('b')).toMatchObject({ is: 'b', settings });
  });

  it.each([
    ['MESSAGES', 'in-process'],
    ['KAFKA_NAMESPACE', ''],
    ['RUN_RETENTION_DAYS', '1'],
  ])('is refused with another %s, and is not registered', async (setting, value) => {
    await within(processOf('a').join(settings));
    const said = await within(processOf('b').join({ ...settings, [setting]: value }));
    expect(said).toBe(
      `${setting} is ${value || 'not set'} here and ${settings[setting as keyof typeof settings]} in the process a, which ` +
        'shares these stores: set the same value in all of them. To change it, stop all the others first.',
    );
    expect([...register.notes.keys()]).toEqual(['a']);
  });

  it('may have another value when all others have stopped', async () => {
    const before = processOf('a');
    await within(before.join(settings));
    await before.keeper.stop();
    expect(await within(processOf('b').join({ ...settings, RUN_RETENTION_DAYS: '1' }))).toBe('joined');
  });

  it('does not consider a killed process alive', async () => {
    await register.beat('killed', { settings, beats: 7 });
    expect(await within(processOf('b').join({ ...settings, MESSAGES: 'in-process' }))).toBe('joined');
  });

  it('does not compare settings that an older version does not report', async () => {
    await within(processOf('a').join({ MESSAGES: 'kafka' }));
    expect(await within(processOf('b').join(settings))).toBe('joined');
  });

  it('leaves if two with different settings begin at the same moment, and one remains', async () => {
    const both = [processOf('a').join(settings), processOf('b').join({ ...settings, MESSAGES: 'in-process' })];
    const said = await Promise.all(both.map(within));
    expect(said).toEqual(['joined', expect.stringMatching(/^MESSAGES is in-process here and kafka in the process a/)]);
    expect([...register.notes.keys()]).toEqual(['a']);
  });

  it('leaves if the other has joined between its check and its registration, whatever their names', async () => {
    const late = new (class extends Register {
      override async beat(name: string, note: JsonObject): Promise<boolean> {
        await within(processOf('b').join({ ...settings, MESSAGES: 'in-process' }));
        return register.beat(name, note);
      }
      override processes = () => register.processes();
      override leave = (name: string) => register.leave(name);
    })(clock);
    expect(await within(processOf('a', late).join(settings))).toMatch(/^MESSAGES is kafka here and in-process/);
    expect([...register.notes.keys()]).toEqual(['b']);
  });
});
