import { afterAll, describe, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const directory = new EmbeddedDirectory();
let service: ServiceProcess;
afterAll(async () => {
  await service?.end('SIGKILL');
  await directory.remove();
});

const start = async () => {
  service = await startServiceProcess({ dataDir: directory.path });
};

describe('page views', () => {
  it('that were acknowledged survive kill -9, and none is counted twice', async () => {
    await start();
    const { id: projectId } = (await service.call('site/createProject', { name: 'Visited' })).body;
    let sent = 0;
    let answered = 0;
    let isOver = false;
    const visitor = async (n: number) => {
      while (!isOver) {
        sent += 1;
        const body = JSON.stringify({ path: `/p${n}` });
        const headers = { 'content-type': 'application/json', 'user-agent': `visitor ${n}` };
        const reply = await fetch(`${service.url}/api/app/${projectId}/traffic`, {
          method: 'POST',
          headers,
          body,
        }).catch(() => undefined);
        if (reply?.status === 204) answered += 1;
      }
    };
    for (let life = 1; life <= 3; life += 1) {
      isOver = false;
      const visitors = Array.from({ length: 20 }, (_, n) => visitor(n));
      const before = answered;
      while (answered < before + 300) await new Promise((resolve) => setTimeout(resolve, 5));
      isOver = true;
      await service.end('SIGKILL');
      await Promise.all(visitors);
      await start();
      const { body } = await service.call('site/getTraffic', { projectId });
      expect(body.views).toBeGreaterThanOrEqual(answered);
      expect(body.views).toBeLessThanOrEqual(sent);
      expect([body.visitors, body.pages.length]).toEqual([20, 10]);
    }
  });
});
