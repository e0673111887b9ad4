import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { longText } from '../../contracts/stores/texts.contract.js';
import { randomMoment } from '../../support/clocks/delays.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const kills = 3;
const functions = 8;

describe('a service that is killed while large code is saved', () => {
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    service = await startServiceProcess({ dataDir: directory.path });
  });
  afterEach(async () => {
    await service.end('SIGKILL');
    directory.remove();
  });

  const get = async (id: string) => (await service.call('automations/getFunction', { id })).body;

  it('has every text that an event refers to: each save is there completely or not at all', async () => {
    const acknowledged = new Map<string, string>();
    const asked = new Map<string, string>();
    const ids: string[] = [];
    for (let number = 0; number < functions; number += 1) {
      const code = `/* ${longText(50_000)} */`;
      const { body } = await service.call('automations/createFunction', { name: `Large ${number}`, code });
      ids.push(body.id);
      acknowledged.set(body.id, code);
    }
    for (let kill = 1; kill <= kills; kill += 1) {
      let going = true;
      const saving = ids.map(async (id) => {
        try {
          while (going) {
            const { updatedAt: seenUpdatedAt } = await get(id);
            const code = `/* ${longText(50_000)} */`;
            asked.set(id, code);
            const { status } = await service.call('automations/updateFunction', { id, code, seenUpdatedAt });
            if (status === 200) acknowledged.set(id, code);
          }
        } catch {
          // The service was killed during the call.
        }
      });
      await randomMoment(200, 600);
      await service.end('SIGKILL');
      going = false;
      await Promise.all(saving);
      service = await startServiceProcess({ dataDir: directory.path });
      for (const id of ids) {
        const fn = await get(id);
        const code = (fn.draft ?? fn).code;
        expect([acknowledged.get(id), asked.get(id)].includes(code)).toBe(true);
        acknowledged.set(id, code);
      }
    }
  }, 90_000);
});
