import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { randomMoment } from '../../support/clocks/delays.js';
import { freePort } from '../../support/mail/free-port.js';
import { mailTroubles, setMailScene } from '../../support/mail/kill-mails.js';
import { sendMails } from '../../support/mail/smtp-client.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const count = 300;

/** Needs a build, because it starts the service as a process. */
describe('service, killed while mail comes in', () => {
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  let port: number;
  const start = () =>
    startServiceProcess({
      dataDir: directory.path,
      environment: { SMTP_IN_PORT: String(port), SMTP_IN_CLIENT_RATE: '100000', SMTP_IN_HOOK_RATE: '100000' },
    });
  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    port = await freePort();
    service = await start();
  });
  afterEach(async () => {
    await service.end('SIGKILL');
    directory.remove();
  });

  it('keeps every acknowledged mail and runs each once, also those that are sent again', async () => {
    const scene = await setMailScene(service);
    const names = Array.from({ length: count }, (_, at) => `mail-${at}`);
    const acknowledged = new Set<string>();
    for (let round = 0; round < 10 && acknowledged.size < count; round += 1) {
      const left = names.filter((name) => !acknowledged.has(name));
      const sending = sendMails(port, scene.address, left, 8);
      // The last round has no kill.
      if (round < 3) {
        await randomMoment(300, 700);
        await service.end('SIGKILL');
      }
      for (const name of await sending) acknowledged.add(name);
      if (round < 3) service = await start();
    }
    expect(acknowledged.size).toBe(count);
    const { troubles, kept } = await mailTroubles(service, scene, acknowledged);
    expect(troubles).toEqual([]);
    expect(kept).toBeGreaterThanOrEqual(count);
  }, 180_000);
});
