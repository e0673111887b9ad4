import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests, type Received } from '../../support/mail/mail-server.js';
import { arrived, senderAt } from '../../support/mail/site-mail.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';
import { storedFiles } from '../../support/stores/stored-files.js';

const password = 'operator-password-canary-51c7';
const email = 'ada-canary-51c7@example.org';
const name = 'Ada Canary';

let dataDir: string;
let server: MailServerForTests;
let service: ServiceProcess;
let projectId: string;
const outputs: string[] = [];
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-'));
  server = await MailServerForTests.start({ password, security: 'none' });
  service = await start();
});
afterAll(async () => {
  await service.end('SIGKILL');
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = () =>
  startServiceProcess({ dataDir, environment: { ...senderAt(server, password), LOG_LEVEL: 'verbose' } });
const done = async (operation: string, body: object) => {
  const reply = await service.call(operation, body);
  expect([operation, reply.status]).toEqual([operation, 200]);
  return reply.body;
};
const visit = (path: string, body: object) => service.post(`/api/app/${projectId}/${path}`, body);
const tokenIn = ({ mail }: Received) => /token=([\w-]{32})/.exec(mail.text ?? '')?.[1] ?? '';

describe('mail of sign-in', () => {
  it('arrives under the same Message-ID and with its link, although its process was killed while sending it', async () => {
    ({ id: projectId } = await done('site/createProject', { name: 'Shop' }));
    await done('site/updateProjectAuth', { id: projectId, authEnabled: true, authRequireEmail: true });
    server.atMail = 'stall';
    expect((await visit('auth/signup', { email, name, password: 'correct horse' })).status).toBe(200);
    await eventually(
      async () => server.connections,
      (count) => count > 0,
      60_000,
    );
    await service.end('SIGKILL');
    outputs.push(service.output());
    server.willing();
    service = await start();
    const one = await arrived(server, email);
    expect(one.mail.messageId).toMatch(/^<sm_\w+@platform\.example>$/);
    expect((await visit('auth/verify-email', { token: tokenIn(one) })).status).toBe(200);
    const { users } = await done('site/getAppUsers', { projectId });
    expect(users[0]).toMatchObject({ email });
    await eventually(
      async () => (await done('site/listOutgoingMail', { projectId })).mails,
      (mails) => mails.length === 0,
    );
  }, 180_000);

  it('is in no file and no line of the log: no address, name, link, token or password', async () => {
    const [sent] = server.received;
    const token = sent === undefined ? '' : tokenIn(sent);
    await service.end('SIGTERM');
    outputs.push(service.output());
    const secrets = { password, email, name, token };
    expect(Object.values(secrets).every((one) => one.length > 8)).toBe(true);
    const forms = (one: string) => [one, encodeURIComponent(one), Buffer.from(one).toString('base64')];
    const holds = (text: string | Buffer) =>
      Object.entries(secrets).flatMap(([what, one]) => (forms(one).some((form) => text.includes(form)) ? [what] : []));
    const files = storedFiles(dataDir);
    // Positive control: the id of the project is in the files, so the search works.
    expect(files.some(({ bytes }) => bytes.includes(projectId))).toBe(true);
    expect(files.flatMap(({ path, bytes }) => holds(bytes).map((what) => `${what} in ${path}`))).toEqual([]);
    expect(holds(outputs.join('\n'))).toEqual([]);
    service = await start();
  }, 120_000);
});
