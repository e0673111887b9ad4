// A signed-in user calls a function of a site: the pass is opened, the user looked up, the rule judged, and the run
// executed with both its events on disk. Compared with the webhook of a function with the same code.

import { order, summingWebhook } from '../service/webhooks.mjs';
import { inTurn, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const code = `let total = 0;
for (const item of params.items) total += item.price * item.quantity;
return { order: params.order, total };`;
const password = 'a long password';
/** Switches off the limits for visitors, which would limit the measurement. */
const environment = { VISITOR_RATE: '0', SITE_RATE: '0', WEBHOOK_RATE: '0' };

async function post(url, body, headers = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** A site with a function that the signed-in user may call. Returns the user's pass too. */
async function visitedSite(service) {
  const { id: projectId } = await service.call('site/createProject', { name: 'Visited' });
  await service.call('site/updateProjectAuth', { id: projectId, authEnabled: true });
  const condition = [{ type: 'user_property', property: 'emailVerified', operator: 'eq', value: true }];
  await service.call('site/createBackendFunction', {
    projectId,
    name: 'sum',
    code,
    accessRules: { execute: condition },
  });
  const email = 'ada@example.com';
  await service.call('site/createAppUser', { projectId, email, password });
  const { session } = await post(`${service.url}/api/app/${projectId}/auth/login`, { email, password });
  return { path: `/api/app/${projectId}/functions/sum`, headers: { 'x-site-session': session.token } };
}

export async function visitorCalls({ seconds = scaled(5), rounds = scaled(3) } = {}) {
  const service = await startService({ environment });
  const rows = [['', 'signed-in call', 'p50', 'p99', 'webhook', 'p50', 'p99', 'of the webhook', 'failed']];
  try {
    const visited = await visitedSite(service);
    const { path } = await summingWebhook(service);
    const load = (to, connections, length) => () =>
      round({ server: service, body: order, connections, seconds: length, ...to });
    await inTurn([load(visited, 8, 4), load({ path }, 8, 4)], 1);
    for (const connections of [1, 32]) {
      const [visits, hooks] = await inTurn(
        [load(visited, connections, seconds), load({ path }, connections, seconds)],
        rounds,
      );
      rows.push([
        `${connections} connections`,
        `${whole(visits.perSecond)}/s`,
        ms(visits.p50),
        ms(visits.p99),
        `${whole(hooks.perSecond)}/s`,
        ms(hooks.p50),
        ms(hooks.p99),
        ratio(visits.perSecond / hooks.perSecond),
        whole(visits.failed + hooks.failed),
      ]);
    }
  } finally {
    await service.stop();
  }
  table('functions/<name> of a site by a signed-in user', rows);
}
