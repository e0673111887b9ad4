import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Engines, startEngines } from '../../support/engines.js';
import { masterKey } from '../../support/processes.js';
import { runServiceProcess, type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

let engines: Engines;
let dataDir: string;
const running: ServiceProcess[] = [];
beforeEach(async () => {
  engines = await startEngines();
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.end('SIGKILL')));
  await engines.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const told = (more: Readonly<Record<string, string>>) => ({
  dataDir,
  environment: { ...engines.environment, MASTER_KEY: masterKey, ...more },
});
const start = async (more: Readonly<Record<string, string>> = {}) => {
  const one = await startServiceProcess(told(more));
  running.push(one);
  return one;
};

describe('a process whose settings differ from those of processes that share its stores', () => {
  it('exits with a message that names the setting, and joins if no other process is alive', async () => {
    const first = await start();
    const kafka = { MESSAGES: 'kafka', KAFKA_BROKERS: 'user:hidden@127.0.0.1:9' };
    for (const [more, named] of [
      [{ RUN_RETENTION_DAYS: '1' }, /^Countersign did not start: RUN_RETENTION_DAYS is 1 here and 30 in the process /m],
      [
        { BASE_URL: 'https://b.example.org' },
        /^Countersign did not start: BASE_URL is https:\/\/b\.example\.org here /m,
      ],
      [kafka, /^Countersign did not start: MESSAGES is kafka here and in-process in the process /m],
    ] as const) {
      const { code, output } = await runServiceProcess(told(more));
      expect(output).toMatch(named);
      expect(output).not.toContain('hidden');
      expect(code).toBe(1);
    }
    expect((await first.call('workspace/getWorkspace')).status).toBe(200);
    // The killed process is still registered, but its heartbeat has stopped.
    await first.end('SIGKILL');
    const changed = await start({ RUN_RETENTION_DAYS: '1' });
    expect((await changed.call('workspace/getWorkspace')).status).toBe(200);
  }, 120_000);
});
