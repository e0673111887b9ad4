import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { RequestsAtOnce } from './requests-at-once.js';

const [site, address] = [
  { name: 'site', most: 2 },
  { name: 'address', most: 1 },
];
let clock: MadeUpClock;
let atOnce: RequestsAtOnce;
let begun: string[];
beforeEach(() => {
  clock = new MadeUpClock();
  atOnce = new RequestsAtOnce(clock);
  begun = [];
});

function request(name: string, shares = [site]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = atOnce.within(shares, () => {
    begun.push(name);
    return promise;
  });
  const outcome = ended.then(
    () => 'done',
    ({ code, facts }) => [code, facts.retryAfterSeconds],
  );
  return { end: resolve, outcome };
}
const settled = () => new Promise((later) => setImmediate(later));

describe('simultaneous requests', () => {
  it('are limited for each share; the others follow in order', async () => {
    const [one, two] = [request('1', [site, address]), request('2')];
    request('3', [site, address]);
    request('4');
    await settled();
    expect(begun).toEqual(['1', '2']);
    two.end();
    await settled();
    expect(begun).toEqual(['1', '2', '4']);
    one.end();
    await settled();
    expect(begun).toEqual(['1', '2', '4', '3']);
  });

  it('are refused if their turn does not come, without delaying later ones', async () => {
    const [one] = [request('1'), request('2')];
    const late = request('3');
    await settled();
    clock.advance(2_000);
    expect(await late.outcome).toEqual(['proxy-busy', 1]);
    one.end();
    request('4');
    await settled();
    expect(begun).toEqual(['1', '2', '4']);
  });

  it('are refused at once if too many wait', async () => {
    for (let n = 0; n < 2 + 8; n += 1) request(String(n));
    expect(await request('more').outcome).toEqual(['proxy-busy', 1]);
  });

  it('free their slot if they fail', async () => {
    const fails = () => atOnce.within([address], () => Promise.reject(new Error('no')));
    await expect(fails()).rejects.toThrow('no');
    await expect(fails()).rejects.toThrow('no');
  });
});
