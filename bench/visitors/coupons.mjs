// Fifty buyers compete for the last redemption of a coupon, again and again. Exactly one may get it. Also the number of
// entitlements granted per second, compared with commands that make other records. In this process, without HTTP.
import { createCoupon } from '../../dist/src/areas/payments/coupon/coupon.js';
import { couponId, coupons as kind } from '../../dist/src/areas/payments/coupon/coupon.record.js';
import { Coupons } from '../../dist/src/areas/payments/coupon/coupons.api.js';
import { Entitlements } from '../../dist/src/areas/payments/entitlement/entitlements.api.js';
import { CommandRunner } from '../../dist/src/engine/commands/command-runner.js';
import { Calls, systemActor } from '../../dist/src/engine/operation/calls.js';
import { Service } from '../../dist/src/service.js';
import { assemble } from '../../dist/src/start.js';
import { scaled } from '../support/scale.mjs';
import { discard, scratch } from '../support/servers.mjs';
import { ms, table, whole } from '../support/table.mjs';

const buyers = scaled(50, 3);
const environment = { PORT: '0', SMTP_IN_PORT: '0', LOG_LEVEL: 'error', WORKSPACE_RECORDS: '0' };

export async function coupons({ rounds = scaled(1_000, 2), grants = scaled(20_000, 100) } = {}) {
  const dataDir = scratch();
  const app = await assemble({ ...environment, DATA_DIR: dataDir }, false);
  try {
    await app.init();
    await app.get(Service).start();
    await race(app, rounds);
    await granting(app, grants);
  } finally {
    await app.close();
    discard(dataDir);
  }
}

const contextOf = (app) => app.get(Calls, { strict: false }).once('ws_bench', systemActor('bench'), 'bench');

async function race(app, rounds) {
  const face = app.get(Coupons, { strict: false });
  const times = [];
  let wrong = 0;
  for (let round = 0; round < rounds; round++) {
    const code = await newCoupon(app, `R${round}`);
    const since = performance.now();
    const outcomes = await Promise.all(Array.from({ length: buyers }, (_, n) => buy(app, face, code, n)));
    times.push(performance.now() - since);
    const won = outcomes.filter((outcome) => outcome === 'bought').length;
    if (won !== 1 || outcomes.some((outcome) => outcome !== 'bought' && outcome !== 'coupon-used-up')) wrong += 1;
  }
  times.sort((one, other) => one - other);
  const at = (part) => ms(times[Math.floor(times.length * part)]);
  table(`${buyers} buyers race for the last redemption`, [
    ['rounds', 'not exact', 'p50 ms a round', 'p99 ms'],
    [whole(rounds), whole(wrong), at(0.5), at(0.99)],
  ]);
}

async function newCoupon(app, code) {
  const of = { projectId: 'proj_bench', code };
  await app.get(CommandRunner, { strict: false }).change(contextOf(app), {
    aggregate: kind,
    id: couponId(of),
    begins: 'perhaps',
    decide: (before) => createCoupon(before, { ...of, percentOff: 10, maxRedemptions: 1 }),
  });
  return code;
}

async function buy(app, face, code, n) {
  const use = { projectId: 'proj_bench', code, paymentId: `pay_${n}`, appUserId: `usr_${n}`, offerKey: 'gold' };
  try {
    await face.reserve(contextOf(app), { ...use, amount: 1_000, currency: 'usd', until: null });
    await face.redeem(contextOf(app), use);
    return 'bought';
  } catch (error) {
    return error.code ?? String(error);
  }
}

async function granting(app, count) {
  const face = app.get(Entitlements, { strict: false });
  const rows = [['entitlements granted', 'a second']];
  for (const atOnce of [1, 32]) {
    let next = 0;
    const most = atOnce === 1 ? count / 10 : count;
    const since = performance.now();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (next < most) {
          const appUserId = `usr_${atOnce}_${next++}`;
          await face.grant(contextOf(app), { projectId: 'proj_bench', appUserId, key: 'member' }, {});
        }
      }),
    );
    rows.push([`${atOnce} at once`, whole((most * 1_000) / (performance.now() - since))]);
  }
  table('Grants, each durable before it is answered', rows);
}
