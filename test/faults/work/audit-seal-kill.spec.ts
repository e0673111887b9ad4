import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';
import { cli } from '../../support/stores/log-transfer.js';

let dataDir: string;
let service: ServiceProcess | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-seal-kill-'));
});
afterEach(async () => {
  await service?.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const rounds = 4;

describe('a service that is killed while it seals', () => {
  it('has a valid chain each time, and in the end a seal over everything acknowledged', async () => {
    let made = 0;
    for (let round = 0; round < rounds; round++) {
      service = await startServiceProcess({ dataDir });
      const { call, end } = service;
      // The first seals are written half a second after a start, so rounds are killed before and after that.
      const until = Date.now() + 350 + 100 * round;
      while (Date.now() < until) {
        const { status } = await call('automations/createFunction', { name: `f${made}`, code: 'return 1' });
        expect(status).toBe(200);
        made += 1;
      }
      await end('SIGKILL');
      expect(await cli({ DATA_DIR: dataDir }, 'audit:verify')).toMatchObject({ code: 0, error: '' });
    }
    service = await startServiceProcess({ dataDir });
    expect((await service.end('SIGTERM')).code).toBe(0);
    const { code, out, error } = await cli({ DATA_DIR: dataDir }, 'audit:verify');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out[0]).not.toContain('not sealed');
    expect(Number(/: (\d+) events/.exec(out[0] ?? '')?.[1])).toBeGreaterThanOrEqual(made);
  }, 120_000);
});
