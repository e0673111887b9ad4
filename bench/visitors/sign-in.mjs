// Sign-ins of users of a site at full speed, the delay of other calls during them, and the cost of a pass for each
// request.
import { ownerKey } from '../../test/support/service-process.ts';
import { inTurn, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const connections = 8;
const seconds = scaled(4);
const turns = scaled(5);
const email = 'ada@example.com';
const password = 'correct horse';

export async function signIn() {
  const service = await startService();
  try {
    const { id: projectId } = await service.call('site/createProject', { name: 'Crowd' });
    await service.call('site/updateProjectAuth', { id: projectId, authEnabled: true });
    await service.call('site/createAppUser', { projectId, email, password });
    const login = { server: service, path: `/api/app/${projectId}/auth/login`, body: { email, password }, connections };
    await besides(service, login);
    await passes(service, projectId);
  } finally {
    await service.stop();
  }
}

async function besides(service, login) {
  const headers = { authorization: `Bearer ${ownerKey}` };
  const path = '/api/v1/automations/createFunction';
  const body = { name: 'of the bench [<id>]', code: 'return 1' };
  const others = () => round({ server: service, path, body, headers, connections, seconds });
  let perSecond = [];
  const beside = async () => {
    const [found, logins] = await Promise.all([others(), round({ ...login, seconds })]);
    if (logins.failed > 0) throw new Error(`${logins.failed} log-ins failed.`);
    perSecond = [...perSecond, logins.perSecond];
    return found;
  };
  const alone = () => round({ ...login, seconds });
  const [quiet, busy, only] = await inTurn([others, beside, alone], turns);
  const sorted = perSecond.toSorted((a, b) => a - b);
  table(`log-ins by ${connections} connections, and createFunction by as many`, [
    ['', 'log-ins/s', 'log-in p50 ms', 'createFunction/s', 'p50 ms', 'p99 ms'],
    ['createFunction alone', '', '', whole(quiet.perSecond), ms(quiet.p50), ms(quiet.p99)],
    ['both', whole(sorted[Math.floor(turns / 2)]), '', whole(busy.perSecond), ms(busy.p50), ms(busy.p99)],
    ['log-ins alone', whole(only.perSecond), ms(only.p50), '', '', ''],
    [
      'both to alone',
      '',
      '',
      ratio(busy.perSecond / quiet.perSecond),
      ratio(busy.p50 / quiet.p50),
      ratio(busy.p99 / quiet.p99),
    ],
  ]);
}

async function passes(service, projectId) {
  const { body } = await service.post(`/api/app/${projectId}/auth/login`, { email, password });
  const path = `/api/app/${projectId}/auth/verify-email`;
  const ask = (headers) => () =>
    round({ server: service, path, body: { token: '' }, headers, connections: 32, seconds });
  const [anonymous, user] = await inTurn([ask({}), ask({ 'x-site-session': body.session.token })], turns);
  table('a call of a visitor that is refused, by 32 connections (auth/verify-email without a token)', [
    ['', '/s', 'p50 ms', 'p99 ms', 'processor µs'],
    ['without a pass', whole(anonymous.perSecond), ms(anonymous.p50), ms(anonymous.p99), whole(anonymous.cpu)],
    ['with a pass', whole(user.perSecond), ms(user.p50), ms(user.p99), whole(user.cpu)],
  ]);
}
